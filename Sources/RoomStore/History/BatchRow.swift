import GRDB
import NIOCore
import RoomCore
import RoomModel

/// A row of `batch`: consecutive messages of one log (docs/decisions/0031). Without the messages themselves, which are read
/// where they are wanted: `BatchMessages`.
struct BatchRow {
    /// Properties of a batch's messages that are known without a look at them: the values add up in `batch.marks`.
    struct Marks: OptionSet {
        let rawValue: Int64

        static let keys = Marks(rawValue: 1)
        static let redactions = Marks(rawValue: 2)
    }

    /// The columns that `init` reads, in its order.
    static let columns = "id, count, first_high, last_high, last_low"
    /// The same, and what `messages` needs.
    static let columnsWithMessages = columns + ", marks, messages, checksum"

    let firstSeq: UInt64
    let lastSeq: UInt64
    /// The first half of the oldest message's stamp.
    let firstHigh: UInt64
    /// The newest message's stamp.
    let lastID: UniqueID

    /// - Throws: SQLITE_CORRUPT where it is no row that a broker has written.
    init(_ statement: BoundStatement) throws {
        self.lastSeq = BatchRowID(rawValue: statement.int64(at: 0)).seq
        guard self.lastSeq >= 1 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        // A damaged row may say anything: its messages are not read (`messages`), and others are not concerned.
        let count = min(max(1, statement.int64(at: 1)), Int64(self.lastSeq))
        self.firstSeq = self.lastSeq - UInt64(count) + 1
        self.firstHigh = UInt64(bitPattern: statement.int64(at: 2))
        self.lastID = UniqueID(
            high: UInt64(bitPattern: statement.int64(at: 3)),
            low: UInt64(bitPattern: statement.int64(at: 4))
        )
    }

    /// The row's messages; `nil` where they are not what was stored.
    ///
    /// - Parameter statement: stands on the row, with `columnsWithMessages`. The messages are valid until its next step.
    func messages(_ statement: BoundStatement) -> BatchMessages? {
        let bytes = statement.bytes(at: 6)
        guard !statement.isNull(at: 7) else {
            // Each message is looked at: damage can only be seen where it makes broken lines.
            return try? BatchMessages(bytes, of: self, isChecked: false)
        }
        guard BatchHead(statement).checksum(bytes) == statement.int64(at: 7) else { return nil }
        return try? BatchMessages(bytes, of: self, isChecked: true)
    }

    /// Stores entries, which follow one another without holes: a row for as many as one takes.
    ///
    /// - Parameter now: Unix milliseconds. `nil`: the entries are those of an old file, which may be damaged; its table `batch` has
    ///   no columns yet for a checksum and for the time.
    static func insert(_ db: Database, room: Int64, _ entries: [LogEntry], now: Int64?) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT INTO batch (id, count, first_high, last_high, last_low, marks, messages\(now == nil ? "" : ", checksum, stored_at"))
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7\(now == nil ? "" : ", ?8, iif((?4 >> 16) >= ?9 + 60000, ?9, NULL)"))
            """
        )
        var rest = entries[...]
        while let first = rest.first {
            let part = rest.prefix(BatchMessages.most(of: rest))
            rest = rest.dropFirst(part.count)
            guard let last = part.last else { return }
            let head = BatchHead(part, first: first, last: last, room: room)
            head.bind(to: statement)
            try BatchMessages.encoded(part).withUnsafeReadableBytes { messages in
                statement.bind(unowned: messages, at: 7)
                if let now {
                    statement.bind(head.checksum(messages), at: 8)
                    statement.bind(now, at: 9)
                }
                try statement.run()
            }
        }
    }

    /// Puts these entries in the place of the row's, which differ from them in kinds and tails only.
    static func replace(_ db: Database, room: Int64, _ entries: [LogEntry]) throws {
        guard let first = entries.first, let last = entries.last else { return }
        let head = BatchHead(entries[...], first: first, last: last, room: room)
        let statement = try BoundStatement(
            db,
            // Without a checksum, the other messages were never known to be whole.
            "UPDATE batch SET messages = ?1, checksum = iif(checksum IS NULL, NULL, ?2) WHERE id = ?3"
        )
        statement.bind(head.id, at: 3)
        try BatchMessages.encoded(entries[...]).withUnsafeReadableBytes { messages in
            statement.bind(unowned: messages, at: 1)
            statement.bind(head.checksum(messages), at: 2)
            try statement.run()
        }
    }

    /// Whether the row's numbers say that all messages have stamps of this range.
    func isStamped(from first: UniqueID, through last: UniqueID) -> Bool {
        (self.firstHigh > first.high || self.firstHigh == first.high && first.low == 0)
            && self.firstHigh <= self.lastID.high && self.lastID <= last
    }

    func contains(_ seq: UInt64) -> Bool { self.firstSeq <= seq && seq <= self.lastSeq }
}

extension BatchRow.Marks {
    init(_ entries: ArraySlice<LogEntry>) {
        self = []
        for entry in entries {
            if entry.key != nil { self.insert(.keys) }
            if !entry.kind.isMessage { self.insert(.redactions) }
        }
    }
}
