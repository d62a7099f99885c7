package import RoomWire

/// The answer to a message that the broker has taken: `Receipt` in `Schemas/admin.openapi.yaml`.
public struct AdminReceipt: AdminDocument, Equatable, Sendable {
    /// The id of the message.
    public package(set) var id = ""
    /// Its place in the log of the room; `nil` where the broker names none.
    public package(set) var seq: UInt64?
    /// The time at which it was published.
    public package(set) var time = AdminTime(rawValue: "")
    /// The receipt is of an earlier message with the same key.
    public package(set) var isDuplicate = false

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.field("seq", &self.seq)
        try visitor.field("time", &self.time)
        try visitor.field("duplicate", &self.isDuplicate)
    }
}
