import GRDB
import NIOCore
import RoomCore
import RoomModel

/// A row of `batch`: consecutive messages of one log (docs/decisions/0031). Without the messages themselves, which are read
/// where they are wanted: `BatchMessages`.
struct BatchRow {
    /// What is known of a batch's messages without a look at them: the values add up in `batch.marks`.
    struct Marks: OptionSet {
        let rawValue: Int64

        static let keys = Marks(rawValue: 1)
        static let redactions = Marks(rawValue: 2)
    }

    /// The columns that `init` reads, in its order; `messages` can follow.
    static let columns = "id, count, first_high, last_high, last_low"
    /// Where `messages` is in a row that begins with `columns`.
    static let messagesColumn: CInt = 5

    let firstSeq: UInt64
    let lastSeq: UInt64
    /// The first half of the oldest message's stamp.
    let firstHigh: UInt64
    /// The newest message's stamp.
    let lastID: UniqueID

    /// - Throws: SQLITE_CORRUPT where it is no row that a broker has written.
    init(_ statement: BoundStatement) throws {
        self.lastSeq = BatchRowID(rawValue: statement.int64(at: 0)).seq
        let count = UInt64(bitPattern: statement.int64(at: 1))
        guard count >= 1, count <= self.lastSeq else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        self.firstSeq = self.lastSeq - count + 1
        self.firstHigh = UInt64(bitPattern: statement.int64(at: 2))
        self.lastID = UniqueID(
            high: UInt64(bitPattern: statement.int64(at: 3)),
            low: UInt64(bitPattern: statement.int64(at: 4))
        )
    }

    /// Stores entries, which follow one another without holes: a row for as many as one takes.
    static func insert(_ db: Database, room: Int64, _ entries: [LogEntry]) throws {
        let statement = try BoundStatement(
            db,
            "INSERT INTO batch (id, count, first_high, last_high, last_low, marks, messages) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        var rest = entries[...]
        while let first = rest.first {
            let part = rest.prefix(BatchMessages.most(of: rest))
            rest = rest.dropFirst(part.count)
            guard let last = part.last else { return }
            statement.bind(BatchRowID(room: room, seq: last.seq).rawValue, at: 1)
            statement.bind(Int64(part.count), at: 2)
            statement.bind(Int64(bitPattern: first.id.high), at: 3)
            statement.bind(Int64(bitPattern: last.id.high), at: 4)
            statement.bind(Int64(bitPattern: last.id.low), at: 5)
            statement.bind(Marks(part).rawValue, at: 6)
            try BatchMessages.encoded(part).withUnsafeReadableBytes { messages in
                statement.bind(unowned: messages, at: 7)
                try statement.run()
            }
        }
    }

    func contains(_ seq: UInt64) -> Bool { self.firstSeq <= seq && seq <= self.lastSeq }
}

extension BatchRow.Marks {
    fileprivate init(_ entries: ArraySlice<LogEntry>) {
        self = []
        for entry in entries {
            if entry.key != nil { self.insert(.keys) }
            if entry.kind == .redaction { self.insert(.redactions) }
        }
    }
}
