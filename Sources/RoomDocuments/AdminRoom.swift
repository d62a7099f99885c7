package import RoomModel
package import RoomWire

/// A room in a list: `RoomSummary` in `Schemas/admin.openapi.yaml`.
public struct AdminRoomSummary: AdminDocument, Equatable, Sendable {
    /// Its name.
    public package(set) var name = ""
    /// The number of its members.
    public package(set) var members = 0
    /// Lately; `nil` where nobody has asked for it.
    package var messagesPerSecond: Double?
    /// The rules that moderators have set; `nil`: none.
    public package(set) var rules: AdminRules?

    package init(_ name: RoomName, members: Int, messagesPerSecond: Double? = nil) {
        (self.name, self.members, self.messagesPerSecond) = (name.text, members, messagesPerSecond)
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name)
        try visitor.field("members", &self.members, .atLeast(0))
        try visitor.field("messages_per_second", &self.messagesPerSecond)
        try visitor.field("rules", &self.rules)
    }
}

/// A room that has members: `Room` in `Schemas/admin.openapi.yaml`.
public struct AdminRoom: AdminDocument, Equatable, Sendable {
    /// The part of a log that is in memory.
    public struct Window: AdminDocument, Equatable, Sendable {
        /// Its size.
        public package(set) var bytes = 0
        /// The number of its pieces.
        public package(set) var chunks = 0

        package init(bytes: Int, chunks: Int) { (self.bytes, self.chunks) = (bytes, chunks) }

        package init(placeholder: ()) {}

        package mutating func fields<Visitor: FieldVisitor & ~Copyable>(
            _ visitor: inout Visitor
        ) throws(Visitor.Fault) {
            try visitor.field("bytes", &self.bytes, .atLeast(0))
            try visitor.field("chunks", &self.chunks, .atLeast(0))
        }
    }

    /// The id of its channel.
    public package(set) var channel = ""
    /// Its name.
    public package(set) var name = ""
    /// The number of its members.
    public package(set) var members = 0
    /// How many of them have a connection.
    public package(set) var subscribers = 0
    /// The id of its log; it changes when the log begins anew.
    public package(set) var epoch = ""
    /// The number of the newest message.
    public package(set) var seq: UInt64 = 0
    /// The history that it keeps; `nil`: none.
    public package(set) var history: AdminChannel.History?
    /// Whether it shows its members, to all of them or to those who ask for it.
    public package(set) var observable = false
    /// Lately; `nil`: the broker is older.
    package var messagesPerSecond: Double?
    /// The rules that moderators have set; `nil`: none.
    public package(set) var rules: AdminRules?
    /// The part of its log that is in memory.
    public package(set) var window = Window(bytes: 0, chunks: 0)
    /// Whether it has members, or has had some for as long as the broker has kept it in memory; not shown.
    package var hasHadMembers = true

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("channel", &self.channel)
        try visitor.field("name", &self.name)
        try visitor.field("members", &self.members, .atLeast(0))
        try visitor.field("subscribers", &self.subscribers, .atLeast(0))
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq)
        try visitor.nullable("history", &self.history)
        try visitor.field("observable", &self.observable)
        try visitor.field("messages_per_second", &self.messagesPerSecond)
        try visitor.field("rules", &self.rules)
        try visitor.field("window", &self.window)
    }
}
