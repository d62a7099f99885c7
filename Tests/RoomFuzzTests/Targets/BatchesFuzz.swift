import GRDB
import NIOCore
import RoomCore
import RoomModel

@testable import RoomStore

/// The messages of a stored batch: any bytes are read as messages or as damage, and never as more than there are; entries are
/// read as they were written.
enum BatchesFuzz: FuzzTarget {
    static let name = "batches"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        guard let first = bytes.first else { return }
        let count = UInt64(first % 8) + 1
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        let row = try self.row(count: count)
        if let messages = try? BatchMessages(rest, of: row, isChecked: false) {
            try self.check(messages, count, rest)
        }
        try self.checkRoundTrip(rest)
    }

    private static func check(_ messages: BatchMessages, _ count: UInt64, _ bytes: UnsafeRawBufferPointer) throws {
        let entries = messages.entries()
        try demand(entries.map(\.seq) == Array(1...count), "the messages \(entries.map(\.seq))")
        let tails = entries.reduce(0) { $0 + $1.tail.readableBytes }
        try demand(tails + Int(count) * 24 <= bytes.count, "\(tails) bytes of tails in \(bytes.count)")
        try demand(messages.keys().count <= entries.count, "more keys than messages")
        for entry in entries where messages.isSound(entry.seq) {
            try demand(entry.tail.readableBytesView.last == UInt8(ascii: "}"), "a sound message without an end")
        }
        let found = messages.firstSeq(from: 1, stampedFrom: entries[0].id)
        try demand(1...count + 1 ~= found, "the message \(found) of \(count)")
        let again = Array(buffer: BatchMessages.encoded(entries[...]))
        let copy = try again.withUnsafeBytes {
            try BatchMessages($0, of: self.row(count: count), isChecked: true).entries()
        }
        try demand(copy == entries, "the entries are others when they are written again")
    }

    /// Entries whose tails are the lines of the input.
    private static func checkRoundTrip(_ bytes: UnsafeRawBufferPointer) throws {
        var random = InputRandom(bytes)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).prefix(8)
        let entries = lines.enumerated().map { index, line in
            LogEntry(
                EntryKind(rawValue: UInt8.random(in: 0...2, using: &random)) ?? .message,
                seq: UInt64(index + 1),
                id: UniqueID(high: random.next(), low: random.next()),
                key: Bool.random(using: &random)
                    ? PublishKey(id: UniqueID(high: random.next(), low: random.next()), digest: random.next()) : nil,
                tail: ByteBuffer(bytes: line)
            )
        }
        let row = try self.row(count: UInt64(entries.count))
        let read = try BatchMessages.encoded(entries[...]).withUnsafeReadableBytes {
            try BatchMessages($0, of: row, isChecked: true).entries()
        }
        try demand(read == entries, "other entries than were written")
    }

    private static func row(count: UInt64) throws -> BatchRow {
        guard let row = self.rows[count] else { throw BrokenInvariant(description: "no row of \(count) messages") }
        return row
    }

    private static let rows: [UInt64: BatchRow] = {
        // It cannot fail: it is in memory.
        let rows = try? DatabaseQueue().write { db in
            try (1...8).map { (count: UInt64) in
                let statement = try BoundStatement(db, "SELECT ?, ?, 0, 0, 0")
                defer { statement.reset() }
                statement.bind(BatchRowID(room: 1, seq: count).rawValue, at: 1)
                statement.bind(Int64(count), at: 2)
                _ = try statement.step()
                return (count, try BatchRow(statement))
            }
        }
        return Dictionary(uniqueKeysWithValues: rows ?? [])
    }()
}
