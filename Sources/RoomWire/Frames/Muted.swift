package import RoomModel

/// `muted` and `unmuted`: whether this client may publish.
package struct MuteEvent: Frame, Equatable, Sendable {
    /// `nil`: the whole channel.
    package private(set) var room: RoomName?
    /// The type as the frame says it.
    package internal(set) var isMuted: Bool
    /// For people.
    package private(set) var reason: String?
    /// Unix seconds.
    package private(set) var until: Int64?

    package init(room: RoomName?, isMuted: Bool, reason: String? = nil, until: Int64? = nil) {
        (self.room, self.isMuted, self.reason, self.until) = (room, isMuted, reason, until)
    }

    /// - Parameters:
    ///   - mute: `nil`: it is over.
    ///   - room: `nil`: the whole channel.
    package init(_ mute: Sanction?, in room: RoomName?) {
        // the second in which it ends has to be over
        let end = mute?.expires.map { ($0 + 999) / 1_000 }
        self.init(room: room, isMuted: mute != nil, reason: mute?.reason, until: end)
    }

    package init(placeholder: ()) { self.init(room: nil, isMuted: true) }

    package var type: BrokerFrameType { self.isMuted ? .muted : .unmuted }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("reason", &self.reason, when: self.isMuted)
        try visitor.field("until", &self.until, .atLeast(0), when: self.isMuted)
    }
}
