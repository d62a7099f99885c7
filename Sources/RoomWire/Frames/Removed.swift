package import RoomModel

/// `removed`: the broker has removed this client from the room.
package struct Removal: Frame, Equatable, Sendable {
    package private(set) var room: RoomName
    /// For people.
    package private(set) var reason: String
    /// A word of the protocol's; older brokers have none.
    package private(set) var code: String?

    package init(room: RoomName, reason: String, code: String?) {
        (self.room, self.reason, self.code) = (room, reason, code)
    }

    package init(placeholder: ()) { self.init(room: RoomName(""), reason: "", code: nil) }

    package var type: BrokerFrameType { .removed }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("reason", &self.reason)
        try visitor.field("code", &self.code)
    }
}
