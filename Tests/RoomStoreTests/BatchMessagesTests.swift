import GRDB
import NIOCore
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Bytes of a batch that no broker has written are damage, and never a crash.
@Suite
struct BatchMessagesTests {
    private let entries = (UInt64(1)...5).map { seq in
        var entry = LogEntry.make(seq, sentAt: 1_000, keyed: seq == 2, bytes: 30)
        entry.user = seq.isMultiple(of: 2) ? nil : "user \(seq)"
        return entry
    }

    private func row(first: UInt64 = 1, last: UInt64 = 5) throws -> BatchRow {
        let database = try DatabaseQueue()
        return try database.write { db in
            let statement = try BoundStatement(db, "SELECT ?, ?, 0, 0, 0")
            defer { statement.reset() }
            statement.bind(BatchRowID(room: 1, seq: last).rawValue, at: 1)
            statement.bind(Int64(last - first + 1), at: 2)
            _ = try statement.step()
            return try BatchRow(statement)
        }
    }

    private func read(_ bytes: [UInt8], _ row: BatchRow) throws -> [LogEntry] {
        try bytes.withUnsafeBytes { try BatchMessages($0, of: row, isChecked: true).entries() }
    }

    private var bytes: [UInt8] { Array(buffer: BatchMessages.encoded(self.entries[...])) }

    @Test
    func `what was written is read`() throws {
        #expect(try self.read(self.bytes, self.row()) == self.entries)
        let keys = try self.bytes.withUnsafeBytes { try BatchMessages($0, of: self.row(), isChecked: true).keys() }
        #expect(keys.map(\.seq) == [2] && keys.map(\.key) == [self.entries[1].key])
    }

    @Test
    func `cut off anywhere it is damage`() throws {
        let row = try self.row()
        for length in 0..<self.bytes.count {
            #expect(throws: DatabaseError.self) { try self.read(Array(self.bytes[..<length]), row) }
        }
    }

    @Test
    func `with other bytes it is damage, or other messages`() throws {
        let row = try self.row()
        for place in self.bytes.indices {
            for value in [UInt8(0), 1, 0x7f, 0xff] {
                var bytes = self.bytes
                bytes[place] = value
                #expect((try? self.read(bytes, row)).map { $0.count == 5 } ?? true)
            }
        }
    }

    @Test(arguments: [(1, 4), (1, 6), (1, 1 << 39), (5, 5)])
    func `with another count it is damage`(_ first: UInt64, _ last: UInt64) throws {
        let row = try self.row(first: first, last: last)
        #expect(throws: DatabaseError.self) { try self.read(self.bytes, row) }
    }
}
