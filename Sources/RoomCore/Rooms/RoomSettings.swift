package import RoomModel

/// All that decides in a room what becomes of a command, beside the commands before it: the part of its channel's settings and
/// of the broker's limits that concerns it, resolved. A value, so that whoever applies the room's commands has the same.
package struct RoomSettings: Hashable, Sendable {
    /// `RoomChannel.version`.
    package var version: Int64
    /// `nil`: what is published is not stored.
    package var history: HistorySettings?
    package var presence: RoomPresence
    /// Stamps show what a member's token says of it.
    package var showsAuthData: Bool
    /// A list of more members, or of more bytes, is a count only.
    package var membersListed: Int
    package var memberListBytes: Int
    /// The most members; `nil`: any number.
    package var memberLimit: Int?
    /// The most rooms with members in the channel, for the text of a refusal: `RoomTurn.hasPlace` is what decides.
    package var roomLimit: Int
    /// The most publish keys that are remembered.
    package var publishKeys: Int
    /// The time in milliseconds after which a member that lingers is out, whatever has become of its node.
    package var longestGrace: Int64

    /// The most that it may be.
    static let graces: UInt64 = 1 << 40
}

extension RoomChannel {
    /// The settings of one of its rooms.
    package func roomSettings(of room: RoomName, _ limits: BrokerLimits) -> RoomSettings {
        RoomSettings(
            version: self.version,
            history: self.history(of: room),
            presence: self.presence(of: room),
            showsAuthData: self.showsAuthData(in: room),
            membersListed: self.settings.membersListed ?? limits.membersListed,
            memberListBytes: limits.memberList,
            memberLimit: self.settings.limits.membersPerRoom,
            roomLimit: self.roomLimit(limits),
            publishKeys: limits.publishKeys,
            longestGrace: self.settings.grace.components.seconds * 1_000 + Self.delayOfNodes
        )
    }

    /// A node that lives says in these milliseconds that a grace has ended.
    private static let delayOfNodes: Int64 = 5_000

    /// The most rooms with members.
    package func roomLimit(_ limits: BrokerLimits) -> Int { self.settings.limits.rooms ?? limits.roomsPerChannel }
}
