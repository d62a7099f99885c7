package import RoomModel

/// `gap`: messages of the room that this client does not receive.
package struct GapEvent: Frame, Equatable, Sendable {
    package private(set) var room: RoomName
    /// As the broker wrote it.
    package private(set) var epoch: String
    package private(set) var from: UInt64
    /// Below `from` if the room has another log now, so that nothing can be counted.
    package private(set) var through: UInt64
    /// A word of the protocol's; newer brokers may have newer ones.
    package private(set) var reason: String

    package init(room: RoomName, epoch: String, from: UInt64, through: UInt64, reason: String) {
        (self.room, self.epoch, self.from, self.through, self.reason) = (room, epoch, from, through, reason)
    }

    package init(placeholder: ()) { self.init(room: RoomName(""), epoch: "", from: 0, through: 0, reason: "") }

    package var type: BrokerFrameType { .gap }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("epoch", &self.epoch)
        try visitor.field("from_seq", &self.from, .countable)
        try visitor.field("to_seq", &self.through, .countable)
        try visitor.field("reason", &self.reason)
    }
}
