import GRDB
import RoomCore
import RoomModel

/// A log's batches, found by the `seq` or the stamp of a message.
extension RoomLog {
    enum Order: String {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// Goes through the batches that have messages from `first` through `last`, for as long as `body` returns true. Those
    /// that are damaged are left out.
    ///
    /// - Parameter marks: only batches that have one of these; `nil`: all.
    func forEachBatch(
        from first: UInt64,
        through last: UInt64,
        _ order: Order = .ascending,
        marked marks: BatchRow.Marks? = nil,
        _ body: (BatchRow, BatchMessages) throws -> Bool
    ) throws {
        guard first <= last else { return }
        let statement = try BoundStatement(
            self.db,
            """
            SELECT \(BatchRow.columnsWithMessages) FROM batch
            WHERE id BETWEEN ?1 AND ifnull((SELECT id FROM batch WHERE id BETWEEN ?2 AND ?3 ORDER BY id LIMIT 1), ?3)
                \(marks == nil ? "" : "AND marks & ?4")
            ORDER BY id \(order.rawValue)
            """
        )
        defer { statement.reset() }
        statement.bind(self.rowID(first), at: 1)
        statement.bind(self.rowID(last), at: 2)
        statement.bind(self.rowID(self.room.lastSeq), at: 3)
        if let marks { statement.bind(marks.rawValue, at: 4) }
        while try statement.step() {
            let row = try BatchRow(statement)
            guard let messages = row.messages(statement) else { continue }
            guard try body(row, messages) else { return }
        }
    }

    /// The first message from `low` on with this stamp or a later one; `lastSeq + 1` where there is none.
    ///
    /// Stamps ascend with `seq`, so it halves the range: a dozen look-ups by primary key in a log of a million. Where a batch is
    /// damaged, its numbers do not count, and the next one that is whole does.
    func firstSeq(from low: UInt64, stampedFrom stamp: UniqueID) throws -> UInt64 {
        var (from, end) = (low, self.room.lastSeq + 1)
        guard from < end, let lastID = self.room.lastID, lastID >= stamp else { return end }
        let statement = try BoundStatement(
            self.db,
            "SELECT \(BatchRow.columnsWithMessages) FROM batch WHERE id BETWEEN ? AND ? ORDER BY id"
        )
        defer { statement.reset() }
        statement.bind(self.rowID(low), at: 1)
        statement.bind(self.rowID(self.room.lastSeq), at: 2)
        // Mostly the very first one has. Its checksum is not looked at: the stamps are possible ones, and no message goes.
        if try statement.step(), case let batch = try BatchRow(statement), batch.contains(low),
            batch.isStamped(from: stamp, through: lastID)
        {
            return low
        }
        // In the oldest batch that is known to have such a message.
        var found: UInt64?
        var probe = from
        while from < end {
            statement.reset()
            statement.bind(self.rowID(probe), at: 1)
            if let (batch, messages) = try self.nextWhole(statement) {
                if batch.lastID < stamp {
                    from = batch.lastSeq + 1
                } else {
                    found = messages.firstSeq(from: low, stampedFrom: stamp)
                    end = min(probe, batch.firstSeq)
                }
            } else {
                end = probe
            }
            probe = from + (max(end, from) - from) / 2
        }
        return found ?? self.room.lastSeq + 1
    }

    private func nextWhole(_ statement: BoundStatement) throws -> (BatchRow, BatchMessages)? {
        while try statement.step() {
            let batch = try BatchRow(statement)
            if let messages = batch.messages(statement) { return (batch, messages) }
        }
        return nil
    }

    func rowID(_ seq: UInt64) -> Int64 { BatchRowID(room: self.room.id, seq: seq).rawValue }
}
