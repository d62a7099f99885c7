package import RoomModel

/// A `history` query at its place in the room's order.
package struct HistoryRead: Equatable, Sendable {
    package var origin: Origin
    package var room: RoomKey
    package var request: HistoryRequest
    /// The log, and its newest message, at that place.
    package var epoch: Epoch
    package var seq: UInt64
    package var log: LogID?
    package var retention: HistorySettings?

    /// The asker may read the messages above this `seq`.
    private var floor: UInt64 { self.seq - min(self.seq, UInt64(clamping: self.request.depth)) }

    /// `nil` where there is nothing that the asker may read.
    package func logQuery(
        _ log: LogID,
        _ retention: HistorySettings,
        limits: BrokerLimits,
        now: Int64,
        asker: ReadAsker
    ) -> LogQuery? {
        var count = min(self.request.limit ?? limits.historyReplay, limits.historyQuery)
        let range: LogQuery.Range
        switch self.request.anchor {
        case .newest:
            range = .before(self.seq + 1)
            count = min(count, self.request.depth)
        case .before(let seq):
            let end = min(seq, self.seq + 1)
            range = .before(end)
            count = min(count, Int(clamping: end - min(end, self.floor + 1)))
        case .after(let seq):
            range = .after(max(min(seq, self.seq), self.floor), through: self.seq)
        }
        guard count > 0 else { return nil }
        return LogQuery(
            log: log,
            retention: retention,
            range: range,
            newest: self.seq,
            maxCount: count,
            maxBytes: limits.historyBytes,
            now: now,
            asker: asker
        )
    }

    /// The page as the asker may see it: what lies beneath its floor is not there for it.
    package func visible(_ page: LogPage) -> LogPage {
        guard case .after = self.request.anchor else {
            var page = page
            // Where messages are damaged, as many others may lie beneath it.
            page.entries.removeAll { $0.seq <= self.floor }
            page.lost = page.lost.flatMap { lost in
                lost.upperBound > self.floor ? max(lost.lowerBound, self.floor + 1)...lost.upperBound : nil
            }
            page.hasMore = page.hasMore && (page.entries.first.map { $0.seq > self.floor + 1 } ?? false)
            return page
        }
        return page
    }
}
