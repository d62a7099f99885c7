package import NIOCore
package import RoomWire

/// An entry of a room's history: a message as it was published, what is left of one that was redacted, or the redaction.
public struct AdminMessage: Equatable, Sendable {
    /// The author of a message or of a redaction.
    public struct Sender: Equatable, Sendable {
        /// A client id, or the id of a sender that is not a member.
        public package(set) var id = ""
        /// The kind of a sender that is not a member, such as `admin`.
        public package(set) var kind: String?
        package var clientDataBytes: ByteBuffer?
    }

    /// A moderator has taken a message away: an entry with a place of its own.
    public struct Redaction: Equatable, Sendable {
        /// The `seq` of the message.
        public package(set) var target: UInt64 = 0
        /// The reason that the members were told.
        public package(set) var reason: String?
    }

    /// The id in the stamp of the entry.
    public package(set) var id = ""
    /// Its place in the log.
    public package(set) var seq: UInt64 = 0
    /// Unix seconds.
    public package(set) var timestamp: Int64 = 0
    /// The author.
    public package(set) var sender = Sender()
    package var messageBytes: ByteBuffer?
    /// The content of the message is gone.
    public package(set) var isRedacted = false
    /// `nil`: this is a message.
    public package(set) var redaction: Redaction?
}

extension AdminMessage: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        var (target, reason) = (self.redaction?.target, self.redaction?.reason)
        try visitor.field("id", &self.id)
        try visitor.field("seq", &self.seq)
        try visitor.field("timestamp", &self.timestamp)
        try visitor.field("sender", &self.sender)
        try visitor.raw("message", &self.messageBytes)
        try visitor.field("redacted", &self.isRedacted, or: false)
        try visitor.field("target_seq", &target)
        try visitor.field("reason", &reason)
        self.redaction = target.map { Redaction(target: $0, reason: reason) }
    }
}

extension AdminMessage.Sender: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.field("kind", &self.kind)
        try visitor.raw("clientData", &self.clientDataBytes)
    }
}

/// A page of the history of a room: `MessagePage` in `Schemas/admin.openapi.yaml`.
public struct AdminHistoryPage: Equatable, Sendable {
    /// The entries, byte for byte.
    package var entries: [ByteBuffer] = []
    /// Whether there are more in the direction that was asked for.
    public package(set) var hasMore = false
    /// The id of the log; it changes when the log begins anew.
    public package(set) var epoch = ""
    /// The number of the newest message of the log.
    public package(set) var seq: UInt64 = 0
    /// The numbers of messages before this page that are damaged in the history file; `nil` where there are none.
    public package(set) var lost: ClosedRange<UInt64>?
}

extension AdminHistoryPage: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        var gap = self.lost.map { LostMessages(from: $0.lowerBound, through: $0.upperBound, reason: "lost") }
        try visitor.field("messages", &self.entries, .object)
        try visitor.field("more", &self.hasMore)
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq)
        try visitor.field("gap", &gap)
        self.lost = gap.flatMap { $0.from <= $0.through ? $0.from...$0.through : nil }
    }
}
