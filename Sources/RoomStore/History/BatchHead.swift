import GRDB
import RoomCore
import RoomModel

/// The numbers of a row of `batch`, as its checksum covers them.
struct BatchHead {
    let id: Int64
    private let count: Int64
    private let firstHigh: Int64
    private let lastHigh: Int64
    private let lastLow: Int64
    private let marks: Int64

    init(_ entries: ArraySlice<LogEntry>, first: LogEntry, last: LogEntry, room: Int64) {
        self.id = BatchRowID(room: room, seq: last.seq).rawValue
        self.count = Int64(entries.count)
        self.firstHigh = Int64(bitPattern: first.id.high)
        self.lastHigh = Int64(bitPattern: last.id.high)
        self.lastLow = Int64(bitPattern: last.id.low)
        self.marks = BatchRow.Marks(entries).rawValue
    }

    /// - Parameter statement: stands on a row with `BatchRow.columnsWithMessages`.
    init(_ statement: BoundStatement) {
        self.id = statement.int64(at: 0)
        self.count = statement.int64(at: 1)
        self.firstHigh = statement.int64(at: 2)
        self.lastHigh = statement.int64(at: 3)
        self.lastLow = statement.int64(at: 4)
        self.marks = statement.int64(at: 5)
    }

    /// Binds the first six arguments of a row.
    func bind(to statement: BoundStatement) {
        statement.bind(self.id, at: 1)
        statement.bind(self.count, at: 2)
        statement.bind(self.firstHigh, at: 3)
        statement.bind(self.lastHigh, at: 4)
        statement.bind(self.lastLow, at: 5)
        statement.bind(self.marks, at: 6)
    }

    /// `batch.checksum` of these messages.
    func checksum(_ messages: UnsafeRawBufferPointer) -> Int64 {
        let numbers = (
            self.id.bigEndian, self.count.bigEndian, self.firstHigh.bigEndian, self.lastHigh.bigEndian,
            self.lastLow.bigEndian, self.marks.bigEndian
        )
        let seed = withUnsafeBytes(of: numbers) { BatchChecksum.xxh64($0, seed: 0) }
        return Int64(bitPattern: BatchChecksum.xxh64(messages, seed: seed))
    }
}
