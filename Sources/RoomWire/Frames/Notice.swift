package import NIOCore
package import RoomModel

/// `notice`: a moderator or an administrator addresses everybody.
package struct NoticeEvent: Frame, Equatable, Sendable {
    /// `nil`: the whole channel.
    package private(set) var room: RoomName?
    /// For people.
    package private(set) var text: String
    /// A word of the protocol's; newer brokers may have newer ones.
    package private(set) var code: String?
    /// With `slow_mode`; 0: off.
    package private(set) var seconds: Int?
    /// The JSON object of the stamp, see ``SenderObject``.
    package internal(set) var sender = ByteBuffer()

    package init(_ notice: Notice, room: RoomName?) {
        (self.room, self.text) = (room, notice.text)
        self.code = notice.kind?.code
        if case .slowMode(let seconds) = notice.kind { self.seconds = seconds }
    }

    package init(placeholder: ()) { self.init(Notice(text: ""), room: nil) }

    package var type: BrokerFrameType { .notice }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("text", &self.text)
        try visitor.field("code", &self.code)
        try visitor.field("seconds", &self.seconds, .atLeast(0))
    }
}
