/// What one channel may use; `nil`: only the broker's own limits hold. Rates are per second, a second's worth may come at
/// once.
package struct ChannelLimits: Equatable, Sendable {
    package var connections: Int?
    /// Rooms with members.
    package var rooms: Int?
    /// Rooms that come to life in the channel: somebody enters or publishes where nobody was.
    package var newRoomRate: Int?
    /// Rooms that one member brings to life.
    package var memberNewRoomRate: Int?
    package var membersPerRoom: Int?
    /// Bytes of a message.
    package var messageBytes: Int?
    /// Messages into all rooms of the channel.
    package var publishRate: Int?
    /// Messages of one member, also over a reconnection.
    package var memberPublishRate: Int?

    package init(
        connections: Int? = nil,
        rooms: Int? = nil,
        newRoomRate: Int? = nil,
        memberNewRoomRate: Int? = nil,
        membersPerRoom: Int? = nil,
        messageBytes: Int? = nil,
        publishRate: Int? = nil,
        memberPublishRate: Int? = nil
    ) {
        self.connections = connections
        self.rooms = rooms
        self.newRoomRate = newRoomRate
        self.memberNewRoomRate = memberNewRoomRate
        self.membersPerRoom = membersPerRoom
        self.messageBytes = messageBytes
        self.publishRate = publishRate
        self.memberPublishRate = memberPublishRate
    }
}
