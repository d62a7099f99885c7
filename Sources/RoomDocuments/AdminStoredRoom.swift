package import RoomWire

/// The stored messages of a room: `StoredRoom` in `Schemas/admin.openapi.yaml`.
public struct AdminStoredRoom: AdminDocument, Equatable, Sendable {
    /// The name of the room.
    public package(set) var name = ""
    /// The number of its members.
    public package(set) var members = 0
    /// How many entries are stored; redactions are among them.
    public package(set) var messages: UInt64 = 0
    /// The bytes that they take, without the overhead of the file.
    public package(set) var bytes: UInt64 = 0
    /// Whether ``bytes`` is an estimate.
    public package(set) var bytesAreEstimated = false
    /// The time of the oldest message; `nil` where there is none.
    public package(set) var oldest: AdminTime?
    /// The time of the newest message; `nil` where there is none.
    public package(set) var newest: AdminTime?
    /// The number of the newest message.
    package var seq: UInt64?
    /// The id of its log; it changes when the log begins anew.
    public package(set) var epoch = ""

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name)
        try visitor.field("members", &self.members, .atLeast(0))
        try visitor.field("messages", &self.messages)
        try visitor.field("bytes", &self.bytes)
        try visitor.field("bytes_are_estimated", &self.bytesAreEstimated)
        try visitor.nullable("oldest", &self.oldest)
        try visitor.nullable("newest", &self.newest)
        try visitor.field("seq", &self.seq)
        try visitor.field("epoch", &self.epoch)
    }
}
