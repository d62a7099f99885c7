package import RoomModel

/// Something that happened in the broker, for those who watch it (`/admin/v1/events`).
package struct BrokerEvent: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// A handshake was accepted.
        case connected(ChannelID, ClientID, address: String?)
        case disconnected(ChannelID, ClientID, EndReason)
        /// How many members the room has now; 0: the last one has left.
        case roomChanged(RoomKey, members: Int)
        case channelChanged(ChannelID)
        case channelRemoved(ChannelID)
        /// An act of a moderator, by its name in the audit log; `room` is `nil` for what concerns the whole channel.
        case moderated(action: String, ChannelID, room: RoomName?)
    }

    /// One more than the event's before.
    package var number: UInt64
    /// Unix milliseconds.
    package var time: Int64
    package var kind: Kind
}
