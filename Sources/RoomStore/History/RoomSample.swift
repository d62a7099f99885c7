import GRDB
import RoomCore
import RoomModel

/// An estimate of a room's messages and bytes, from a look at no more than a few of its rows at each end. SQLite knows
/// the length of a blob without reading it.
struct RoomSample {
    /// At each end of the log.
    static let rows = 64

    private(set) var messages: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    /// The oldest row's first message, in Unix milliseconds.
    private(set) var oldest: Int64?
    private(set) var isComplete = true

    /// - Parameter seqs: those that are served.
    init(_ db: Database, room: Int64, seqs: ClosedRange<UInt64>) throws {
        var newestOfOldest: Int64 = 0
        var count = 0
        try Self.forEach(db, room, seqs, "ASC", Self.rows + 1) { id, row in
            if self.oldest == nil { self.oldest = Int64(row.firstHigh >> 16) }
            count += 1
            guard count <= Self.rows else {
                self.isComplete = false
                return
            }
            self.add(row)
            newestOfOldest = id
        }
        guard !self.isComplete else { return }
        try Self.forEach(db, room, seqs, "DESC", Self.rows) { id, row in
            if id > newestOfOldest { self.add(row) }
        }
    }

    /// The bytes of as many messages, if the others are like those that were looked at.
    func bytes(of messages: UInt64) -> UInt64 {
        guard self.messages > 0 else { return 0 }
        let bytes = Double(self.bytes) / Double(self.messages) * Double(messages)
        return UInt64(exactly: bytes.rounded()) ?? .max
    }

    private mutating func add(_ row: SampledRow) {
        self.messages += row.count
        self.bytes += row.bytes
    }

    private struct SampledRow {
        let count: UInt64
        let firstHigh: UInt64
        let bytes: UInt64
    }

    private static func forEach(
        _ db: Database,
        _ room: Int64,
        _ seqs: ClosedRange<UInt64>,
        _ order: String,
        _ limit: Int,
        _ take: (Int64, SampledRow) -> Void
    ) throws {
        let statement = try BoundStatement(
            db,
            "SELECT id, count, first_high, length(messages) FROM batch WHERE id BETWEEN ? AND ? ORDER BY id \(order) LIMIT ?"
        )
        defer { statement.reset() }
        statement.bind(BatchRowID(room: room, seq: seqs.lowerBound).rawValue, at: 1)
        statement.bind(BatchRowID(room: room, seq: seqs.upperBound).rawValue, at: 2)
        statement.bind(Int64(limit), at: 3)
        while try statement.step() {
            let row = SampledRow(
                // a damaged row may say anything
                count: min(UInt64(max(0, statement.int64(at: 1))), BatchRowID.highestSeq),
                firstHigh: UInt64(bitPattern: statement.int64(at: 2)),
                bytes: UInt64(max(0, statement.int64(at: 3)))
            )
            take(statement.int64(at: 0), row)
        }
    }
}
