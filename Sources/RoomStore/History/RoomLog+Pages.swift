import GRDB
import NIOCore
import RoomCore
import RoomModel

extension RoomLog {
    /// The messages that a query asks for and retention still lets it see.
    func page(_ query: LogQuery) throws -> LogPage {
        let oldest = try self.oldestSeq(keeping: query.retention, now: query.now)
        switch query.range {
        case .after(let seq, let through):
            let last = min(through, self.room.lastSeq)
            let first = max(seq < last ? seq + 1 : last + 1, oldest)
            let entries = try self.entries(from: first, through: last, order: .ascending, query)
            let hasMore = entries.last.map { $0.seq < last } ?? false
            return LogPage(entries: entries, hasMore: hasMore, oldestSeq: oldest)
        case .before(let seq):
            let last = min(seq == 0 ? 0 : seq - 1, self.room.lastSeq)
            let entries = try self.entries(from: oldest, through: last, order: .descending, query)
            let hasMore = entries.last.map { $0.seq > oldest } ?? false
            return LogPage(entries: entries.reversed(), hasMore: hasMore, oldestSeq: oldest)
        }
    }

    private enum Order: String {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// As many messages of the range as the query's limits allow, and one at least, beginning where `order` begins.
    private func entries(
        from first: UInt64,
        through last: UInt64,
        order: Order,
        _ query: LogQuery
    ) throws -> [LogEntry] {
        guard first <= last else { return [] }
        let statement = try BoundStatement(
            self.db,
            """
            SELECT id, stamp_high, stamp_low, tail, kind FROM message WHERE id BETWEEN ? AND ?
            ORDER BY id \(order.rawValue) LIMIT ?
            """
        )
        defer { statement.reset() }
        statement.bind(MessageRowID(room: self.room.id, seq: first).rawValue, at: 1)
        statement.bind(MessageRowID(room: self.room.id, seq: last).rawValue, at: 2)
        statement.bind(Int64(max(1, query.maxCount)), at: 3)
        var entries: [LogEntry] = []
        var bytes = 0
        while try statement.step() {
            let tail = statement.bytes(at: 3)
            bytes += tail.count
            guard entries.isEmpty || bytes <= query.maxBytes else { break }
            let stamp = UniqueID(
                high: UInt64(bitPattern: statement.int64(at: 1)),
                low: UInt64(bitPattern: statement.int64(at: 2))
            )
            let seq = MessageRowID(rawValue: statement.int64(at: 0)).seq
            let kind = LogEntry.Kind(storedValue: statement.int64(at: 4)) ?? .message
            entries.append(LogEntry(kind, seq: seq, id: stamp, tail: ByteBuffer(bytes: tail)))
        }
        return entries
    }
}
