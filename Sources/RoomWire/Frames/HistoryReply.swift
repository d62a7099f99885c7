package import NIOCore
import RoomModel

/// A page of a room's history, in ascending order.
package struct HistoryReply: DescribedObject, Equatable, Sendable {
    private var page: HistoryEntries
    /// Whether the requested range continues after this page.
    package private(set) var more: Bool
    private var lost: LostMessages?

    package init(_ page: HistoryEntries, gap: HistoryGap?, more: Bool) {
        (self.page, self.more) = (page, more)
        self.lost = gap.map { LostMessages(from: $0.seqs.lowerBound, through: $0.seqs.upperBound, reason: $0.reason) }
    }

    package init(placeholder: ()) { self.init(.read([]), gap: nil, more: false) }

    package var entries: [StoredEntry] { if case .read(let entries) = self.page { entries } else { [] } }

    /// The damaged entries before the oldest one of the page, or behind the newest one if the page was not asked for by `after_seq`.
    package var gap: HistoryGap? {
        guard let lost, lost.from <= lost.through else { return nil }
        return HistoryGap(seqs: lost.from...lost.through, reason: lost.reason)
    }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("messages", &self.page)
        try visitor.field("more", &self.more)
        try visitor.field("gap", &self.lost)
    }
}

/// The entries that a page of the history names because it cannot have them.
package struct HistoryGap: Equatable, Sendable {
    package let seqs: ClosedRange<UInt64>
    /// A word of the protocol's; newer brokers may have newer ones.
    package let reason: String

    package static func lost(_ seqs: ClosedRange<UInt64>) -> HistoryGap { HistoryGap(seqs: seqs, reason: "lost") }
}

/// The `gap` of a page, also of one of the admin API.
package struct LostMessages: DescribedObject, Equatable {
    package private(set) var from: UInt64
    package private(set) var through: UInt64
    package private(set) var reason: String

    package init(from: UInt64, through: UInt64, reason: String) {
        (self.from, self.through, self.reason) = (from, through, reason)
    }

    package init(placeholder: ()) { self.init(from: 0, through: 0, reason: "") }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("from_seq", &self.from, .countable)
        try visitor.field("to_seq", &self.through, .countable)
        try visitor.field("reason", &self.reason)
    }
}

/// The entries of a page: the broker has them as they are stored, and the client reads them.
package enum HistoryEntries: FieldValue, Equatable, Sendable {
    case stored([StoredTail], PublishWriter)
    /// Sanctions of kinds that newer brokers have are left out.
    case read([StoredEntry])

    package static func kind(_ rule: FieldRule) -> FieldKind { .array(of: .object([])) }

    package static func right(_ rule: FieldRule) -> String { "an array of objects" }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> HistoryEntries {
        var entries: [StoredEntry] = []
        for object in try [ByteBuffer].read(found, .object) {
            do throws(BrokerFrameError) {
                if let entry = try BrokerFrameReader.storedEntry(object) { entries.append(entry) }
            } catch {
                throw FieldFault(.refused(RequestError(error.code, error.text)))
            }
        }
        return .read(entries)
    }

    package func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString("[")
        if case .stored(let tails, let writer) = self {
            for (index, tail) in tails.enumerated() {
                if index > 0 { buffer.writeStaticString(",") }
                writer.writeStored(tail.bytes, as: tail.type, into: &buffer)
            }
        }
        buffer.writeStaticString("]")
    }
}

/// An entry of a room's log as the store keeps it: the end of its frame.
package struct StoredTail: Equatable, Sendable {
    fileprivate let bytes: ByteBuffer
    fileprivate let type: BrokerFrameType

    package init(_ bytes: ByteBuffer, of type: BrokerFrameType = .publish) {
        (self.bytes, self.type) = (bytes, type)
    }
}
