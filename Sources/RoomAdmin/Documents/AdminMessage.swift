public import Foundation
package import NIOCore
public import RoomClient
import RoomJSON

/// An entry of a room's history: a message as it was published, what is left of one that was redacted, or the redaction.
public struct AdminMessage: Equatable, Sendable {
    /// Who has published a message, or redacted one.
    public struct Sender: Decodable, Equatable, Sendable {
        /// A client id, or the id of a sender that is not a member.
        public let id: String
        /// The kind of a sender that is not a member, such as `admin`.
        public let kind: String?
        /// What the client says of itself.
        public let clientData: JSON?
    }

    /// A moderator has taken a message away: an entry with a place of its own.
    public struct Redaction: Equatable, Sendable {
        /// The `seq` of the message.
        public let target: UInt64
        /// What the members were told.
        public let reason: String?
    }

    /// The id in the stamp of the entry.
    public let id: String
    /// Its place in the log.
    public let seq: UInt64
    /// Unix seconds.
    public let timestamp: Int64
    /// Who has published it.
    public let sender: Sender
    /// What was published, byte for byte; `nil` where it is nested too deep to be shown.
    public let message: JSON?
    /// The content of the message is gone.
    public let isRedacted: Bool
    /// `nil`: this is a message.
    public let redaction: Redaction?

    /// The time at which it was published.
    public var date: Date { Date(timeIntervalSince1970: Double(self.timestamp)) }
}

extension AdminMessage: AdminDocument {
    package init(json: ByteBuffer) throws(AdminError) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.id = fields.id
        self.seq = fields.seq
        self.timestamp = fields.timestamp
        self.sender = fields.sender
        self.message = .field("message", of: json)
        self.isRedacted = fields.redacted ?? false
        self.redaction = fields.targetSeq.map { Redaction(target: $0, reason: fields.reason) }
    }

    private struct Fields: Decodable {
        let id: String
        let seq: UInt64
        let timestamp: Int64
        let sender: Sender
        let redacted: Bool?
        let targetSeq: UInt64?
        let reason: String?
    }
}

/// A page of the history of a room: `MessagePage` in `Schemas/admin.openapi.yaml`.
public struct AdminHistoryPage: Equatable, Sendable {
    /// The entries, byte for byte.
    package let entries: [ByteBuffer]
    /// Whether there are more in the direction that was asked for.
    public let hasMore: Bool
    /// The numbers of messages before this page that are damaged in the history file; `nil` where there are none.
    public let lost: ClosedRange<UInt64>?
    /// The id of the log; it changes when the log begins anew.
    public let epoch: String
    /// The number of the newest message of the log.
    public let seq: UInt64

    /// The messages and redactions, in the order of the log.
    ///
    /// - Throws: ``AdminError/Code/unexpectedAnswer``.
    public func messages() throws(AdminError) -> [AdminMessage] {
        var messages: [AdminMessage] = []
        for entry in self.entries { messages.append(try AdminMessage(json: entry)) }
        return messages
    }

    var isEmpty: Bool { self.entries.isEmpty && self.lost == nil }

    /// The place of its last entry; `nil` where it has none.
    func lastSeq() throws(AdminError) -> UInt64? {
        guard let last = self.entries.last else { return nil }
        return try Self.seq(of: last)
    }

    /// The place of an entry in the log.
    package static func seq(of entry: ByteBuffer) throws(AdminError) -> UInt64 {
        try AdminResponse.decode(Numbered.self, from: entry).seq
    }

    private struct Numbered: Decodable {
        let seq: UInt64
    }
}

extension AdminHistoryPage: AdminDocument {
    package init(json: ByteBuffer) throws(AdminError) {
        let head = try AdminResponse.decode(Head.self, from: json)
        self.entries = JSONFields.elements(of: "messages", in: json)
        self.hasMore = head.more
        self.lost = head.gap.flatMap { $0.fromSeq <= $0.toSeq ? $0.fromSeq...$0.toSeq : nil }
        self.epoch = head.epoch
        self.seq = head.seq
    }

    private struct Gap: Decodable {
        let fromSeq: UInt64
        let toSeq: UInt64
    }

    private struct Head: Decodable {
        let more: Bool
        let gap: Gap?
        let epoch: String
        let seq: UInt64
    }
}

/// What a redaction has done: `Redaction` in `Schemas/admin.openapi.yaml`.
public struct AdminRedaction: AdminDocument, Decodable, Equatable, Sendable {
    /// The place of the redaction itself; `nil` where there is no new one.
    public let seq: UInt64?
    /// The place of the message.
    public let targetSeq: UInt64
    /// The id of the message.
    public let targetId: String
    private let duplicate: Bool?

    /// The message had been redacted before.
    public var isDuplicate: Bool { self.duplicate == true }
}

/// What is left of a room that was cleared: `ClearedRoom` in `Schemas/admin.openapi.yaml`.
public struct ClearedRoom: AdminDocument, Decodable, Equatable, Sendable {
    /// The id of its new log.
    public let epoch: String
}

/// The amount that was deleted, or would be: `Pruned` in `Schemas/admin.openapi.yaml`.
public struct PrunedMessages: AdminDocument, Decodable, Equatable, Sendable {
    /// Rooms that are pruned completely and had messages to delete.
    public internal(set) var rooms: UInt64 = 0
    /// The number of the messages.
    public internal(set) var messages: UInt64 = 0
    /// What they took, without the overhead of the file.
    public internal(set) var bytes: UInt64 = 0
    /// Whether ``bytes`` is an estimate.
    public internal(set) var bytesAreEstimated = false
    /// The place at which the next request goes on.
    var next: String?

    mutating func add(_ other: PrunedMessages) {
        self.rooms += other.rooms
        self.messages += other.messages
        self.bytes += other.bytes
        self.bytesAreEstimated = self.bytesAreEstimated || other.bytesAreEstimated
    }
}

/// The messages of one author that were redacted, or would be: `RedactedMessages` in `Schemas/admin.openapi.yaml`.
public struct RedactedMessages: AdminDocument, Decodable, Equatable, Sendable {
    /// The number of the messages.
    public internal(set) var messages: UInt64 = 0
    /// The place at which the next request goes on.
    var next: String?
}

/// The broker's answer to a part of an import: `ImportedPart` in `Schemas/admin.openapi.yaml`.
public struct ImportedPart: AdminDocument, Decodable, Equatable, Sendable {
    /// The id of the log from now on.
    public let epoch: String
    /// The number of the newest message.
    public let seq: UInt64
    /// The oldest message that clients can read.
    public let oldestSeq: UInt64
}

/// Where a message is: `Trace` in `Schemas/admin.openapi.yaml`.
public struct AdminTrace: AdminDocument, Decodable, Equatable, Sendable {
    /// A member that has not been sent the message yet.
    public struct Laggard: Decodable, Equatable, Sendable {
        /// Its client id.
        public let id: String
        /// How many messages it is behind the newest.
        public let lag: Int
    }

    /// The id of the message.
    public let id: String
    /// The channel of the room.
    public let channel: String
    /// The room.
    public let room: String
    /// The time at which it was published.
    public let time: AdminTime
    /// The id of the log.
    public let epoch: String
    /// Its place in the log.
    public let seq: UInt64
    /// Whether it is in the history, and not only in memory.
    public let stored: Bool
    /// How many members have been sent it, or a later message.
    public let passed: Int
    /// Those who have not.
    public let lagging: [Laggard]
}
