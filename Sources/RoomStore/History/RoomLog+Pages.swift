import GRDB
import RoomCore
import RoomModel

extension RoomLog {
    /// The messages that a query asks for and retention still lets it see: those that follow one another without a hole.
    /// Behind damaged messages, the next page goes on.
    func page(_ query: LogQuery) throws -> LogPage {
        let served = try self.oldest(keeping: query.retention, newest: query.newest, now: query.now)
        let oldest = served.seq
        switch query.range {
        case .after(let seq, let through):
            let last = min(through, self.room.lastSeq)
            let first = max(seq < last ? seq + 1 : last + 1, oldest)
            let entries = try self.entries(from: first, through: last, order: .ascending, query)
            let hasMore = entries.last.map { $0.seq < last } ?? false
            var page = LogPage(entries: entries, hasMore: hasMore, oldestSeq: oldest, hasExpired: served.hasExpired)
            let next = entries.first?.seq ?? last + 1
            if first < next { page.lost = first...(next - 1) }
            return page
        case .before(let seq):
            let last = min(seq == 0 ? 0 : seq - 1, self.room.lastSeq)
            let entries = try self.entries(from: oldest, through: last, order: .descending, query)
            let hasMore = entries.last.map { $0.seq > oldest } ?? false
            var page = LogPage(
                entries: entries.reversed(),
                hasMore: hasMore,
                oldestSeq: oldest,
                hasExpired: served.hasExpired
            )
            let next = entries.first?.seq ?? oldest - 1
            if next < last { page.lost = (next + 1)...last }
            return page
        }
    }

    /// As many messages of the range as the query's limits allow, and one at least, beginning where `order` begins.
    private func entries(
        from first: UInt64,
        through last: UInt64,
        order: Order,
        _ query: LogQuery
    ) throws -> [LogEntry] {
        guard first <= last else { return [] }
        var entries: [LogEntry] = []
        var bytes = 0
        try self.forEachBatch(from: first, through: last, order) { row, messages in
            guard row.firstSeq <= last else { return true }
            let asked = max(first, row.firstSeq)...min(last, row.lastSeq)
            for step in 0..<UInt64(asked.count) {
                let seq = order == .ascending ? asked.lowerBound + step : asked.upperBound - step
                guard messages.isSound(seq) else { continue }
                if let before = entries.last {
                    guard seq == (order == .ascending ? before.seq + 1 : before.seq - 1) else { return false }
                }
                bytes += messages.tail(of: seq).count
                guard entries.isEmpty || bytes <= query.maxBytes else { return false }
                entries.append(messages.entry(seq))
                if entries.count >= query.maxCount { return false }
            }
            return true
        }
        return entries
    }
}
