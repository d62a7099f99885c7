package import RoomWire

/// The outcome of a redaction: `Redaction` in `Schemas/admin.openapi.yaml`.
public struct AdminRedaction: AdminDocument, Equatable, Sendable {
    /// The place of the redaction itself; `nil` where there is no new one.
    public package(set) var seq: UInt64?
    /// The message had been redacted before.
    public package(set) var isDuplicate = false
    /// The place of the message.
    public package(set) var targetSeq: UInt64 = 0
    /// The id of the message.
    public package(set) var targetId = ""

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("seq", &self.seq)
        try visitor.field("duplicate", &self.isDuplicate, or: false)
        try visitor.field("target_seq", &self.targetSeq)
        try visitor.field("target_id", &self.targetId)
    }
}

/// The new log of a room that was cleared: `ClearedRoom` in `Schemas/admin.openapi.yaml`.
public struct ClearedRoom: AdminDocument, Equatable, Sendable {
    /// The id of its new log.
    public package(set) var epoch = ""
    /// The number of its newest message: there is none.
    package var seq: UInt64?

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq)
    }
}

/// Stored messages to be deleted: `PruneOrder` in `Schemas/admin.openapi.yaml`.
package struct AdminPruneOrder: AdminDocument {
    /// `nil`: all rooms of the channel.
    package var room: String?
    /// How many of the newest messages stay.
    package var keep: Int?
    /// How old the messages are at least.
    package var olderThan: Duration?
    package var isDryRun = false

    package init(room: String?, keep: Int?, olderThan: Duration?, isDryRun: Bool) {
        (self.room, self.keep, self.olderThan, self.isDryRun) = (room, keep, olderThan, isDryRun)
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room, .like("the name of a room"))
        try visitor.whole("keep", &self.keep, 0...Int.max)
        try visitor.seconds("older_than_seconds", &self.olderThan, 0...100 * 365 * 86_400)
        try visitor.field("dry_run", &self.isDryRun, or: false)
    }
}

/// The amount that was deleted, or would be: `Pruned` in `Schemas/admin.openapi.yaml`.
public struct PrunedMessages: AdminDocument, Equatable, Sendable {
    /// Rooms that are pruned completely and had messages to delete.
    public package(set) var rooms: UInt64 = 0
    /// The number of the messages.
    public package(set) var messages: UInt64 = 0
    /// The bytes that they took, without the overhead of the file.
    public package(set) var bytes: UInt64 = 0
    /// Whether ``bytes`` is an estimate.
    public package(set) var bytesAreEstimated = false
    /// The place at which the next request goes on.
    package var next: String?

    package init() {}

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("rooms", &self.rooms)
        try visitor.field("messages", &self.messages)
        try visitor.field("bytes", &self.bytes)
        try visitor.field("bytes_are_estimated", &self.bytesAreEstimated)
        try visitor.nullable("next", &self.next)
    }

    package mutating func add(_ other: PrunedMessages) {
        self.rooms += other.rooms
        self.messages += other.messages
        self.bytes += other.bytes
        self.bytesAreEstimated = self.bytesAreEstimated || other.bytesAreEstimated
    }
}

/// The messages of somebody to be redacted: `RedactionOrder` in `Schemas/admin.openapi.yaml`.
package struct AdminRedactionOrder: AdminDocument {
    /// `nil`: all rooms of the channel.
    package var room: String?
    package var subject = SubjectFields()
    package var reason: String?
    package var isDryRun = false

    package init(of subject: SubjectFields, room: String?, reason: String?, isDryRun: Bool) {
        (self.subject, self.room, self.reason, self.isDryRun) = (subject, room, reason, isDryRun)
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room, .like(NewAdminSanction.rightRoom))
        try self.subject.fields(&visitor, hasAddress: false)
        try visitor.field("reason", &self.reason, .like("a text"))
        try visitor.field("dry_run", &self.isDryRun, or: false)
    }
}

/// The messages of one author that were redacted, or would be: `RedactedMessages` in `Schemas/admin.openapi.yaml`.
public struct RedactedMessages: AdminDocument, Equatable, Sendable {
    /// The number of the messages.
    public package(set) var messages: UInt64 = 0
    /// The place at which the next request goes on.
    package var next: String?

    package init(messages: UInt64 = 0, next: String? = nil) { (self.messages, self.next) = (messages, next) }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("messages", &self.messages)
        try visitor.nullable("next", &self.next)
    }
}

/// The broker's answer to a part of an import: `ImportedPart` in `Schemas/admin.openapi.yaml`.
public struct ImportedPart: AdminDocument, Equatable, Sendable {
    /// How many messages the part had.
    package var messages: Int?
    /// The id of the log from now on.
    public package(set) var epoch = ""
    /// The number of the newest message.
    public package(set) var seq: UInt64 = 0
    /// The oldest message that clients can read.
    public package(set) var oldestSeq: UInt64 = 0

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("messages", &self.messages)
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq)
        try visitor.field("oldest_seq", &self.oldestSeq)
    }
}

/// The way of a message to its subscribers: `Trace` in `Schemas/admin.openapi.yaml`.
public struct AdminTrace: AdminDocument, Equatable, Sendable {
    /// A member that has not been sent the message yet.
    public struct Laggard: AdminDocument, Equatable, Sendable {
        /// Its client id.
        public package(set) var id = ""
        /// How many messages it is behind the newest.
        public package(set) var lag = 0

        package init(id: String, lag: Int) { (self.id, self.lag) = (id, lag) }

        package init(placeholder: ()) {}

        package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault)
        {
            try visitor.field("id", &self.id)
            try visitor.field("lag", &self.lag, .atLeast(0))
        }
    }

    /// The id of the message.
    public package(set) var id = ""
    /// The channel of the room.
    public package(set) var channel = ""
    /// The room.
    public package(set) var room = ""
    /// The time at which it was published.
    public package(set) var time = AdminTime(rawValue: "")
    /// The id of the log.
    public package(set) var epoch = ""
    /// Its place in the log.
    public package(set) var seq: UInt64 = 0
    /// Whether it is in the history, and not only in memory.
    public package(set) var stored = false
    /// How many members have been sent it, or a later message.
    public package(set) var passed = 0
    /// The subscribers that have not.
    public package(set) var lagging: [Laggard] = []

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.field("channel", &self.channel)
        try visitor.field("room", &self.room)
        try visitor.field("time", &self.time)
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq)
        try visitor.field("stored", &self.stored)
        try visitor.field("passed", &self.passed, .atLeast(0))
        try visitor.field("lagging", &self.lagging)
    }
}
