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
    private static let graces = 0...1 << 40
}

extension RoomSettings: RecordParts {
    package init(placeholder: ()) {
        self.init(
            version: 0,
            presence: .hidden,
            showsAuthData: false,
            membersListed: 0,
            memberListBytes: 0,
            roomLimit: 0,
            publishKeys: 0,
            longestGrace: 0
        )
    }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags(
            "flags of settings",
            self.history != nil,
            self.presence == .shown,
            self.showsAuthData,
            self.memberLimit != nil,
            self.presence == .onRequest
        )
        try visitor.check("flags of settings", !flags[1] || !flags[4], "members are shown to all, and on request")
        self.presence = flags[1] ? .shown : flags[4] ? .onRequest : .hidden
        self.showsAuthData = flags[2]
        try visitor.part("version of settings", &self.version)
        try visitor.part("history", &self.history, if: flags[0])
        try visitor.limit("members listed", &self.membersListed)
        try visitor.limit("bytes of a list of members", &self.memberListBytes)
        try visitor.count("member limit of settings", &self.memberLimit, in: 0...Int.max, if: flags[3])
        try visitor.limit("room limit", &self.roomLimit)
        try visitor.limit("publish keys", &self.publishKeys)
        var grace = Int(self.longestGrace)
        try visitor.count("longest grace", &grace, in: Self.graces)
        self.longestGrace = Int64(grace)
    }
}

extension HistorySettings: RecordParts {
    package init(placeholder: ()) { self.init(count: 0, age: .zero) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.count("history count", &self.count, in: 1...Int.max)
        try visitor.part("history age", &self.age)
    }
}

extension RoomRules: RecordParts {
    package init(placeholder: ()) { self.init() }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags(
            "flags of rules",
            self.isLocked,
            self.lockReason != nil,
            self.slowMode != nil,
            self.memberLimit != nil
        )
        self.isLocked = flags[0]
        try visitor.part("reason of a lock", &self.lockReason, if: flags[1])
        try visitor.count("slow mode", &self.slowMode, in: Self.slowModeBounds, if: flags[2])
        try visitor.count("member limit", &self.memberLimit, in: Self.memberLimitBounds, if: flags[3])
    }
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
