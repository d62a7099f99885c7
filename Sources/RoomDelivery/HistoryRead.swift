import NIOCore
import RoomCore
import RoomModel

/// A `history` query at its place in the room's order.
struct HistoryRead: Sendable {
    var origin: Origin
    var room: RoomKey
    var request: HistoryRequest
    /// The newest message at that place.
    var seq: UInt64
    var log: LogID?
    var retention: HistorySettings?

    /// The asker may read the messages above this `seq`.
    private var floor: UInt64 { self.seq - min(self.seq, UInt64(clamping: self.request.depth)) }

    /// `nil` where there is nothing that the asker may read.
    func logQuery(_ log: LogID, _ retention: HistorySettings, limits: BrokerLimits, now: Int64) -> LogQuery? {
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
            maxCount: count,
            maxBytes: limits.historyBytes,
            now: now
        )
    }

    /// The page as the asker may see it: what lies beneath its floor is not there for it.
    func visible(_ page: LogPage) -> LogPage {
        guard case .after = self.request.anchor else {
            var page = page
            page.hasMore = page.hasMore && (page.entries.first.map { $0.seq > self.floor + 1 } ?? false)
            return page
        }
        return page
    }
}

extension RoomShard {
    /// Reads what the query is about and calls back on this loop.
    func read(
        _ query: HistoryRead,
        completion: @escaping @Sendable (RoomShard, Result<LogPage, RequestError>) -> Void
    ) {
        guard let log = query.log, let retention = query.retention else {
            completion(
                self,
                .failure(
                    RequestError(.storageUnavailable, "the history of this room cannot be reached; try again later")
                )
            )
            return
        }
        let now = self.environment.clock()
        guard let logQuery = query.logQuery(log, retention, limits: self.limits, now: now) else {
            completion(self, .success(LogPage(entries: [], hasMore: false, oldestSeq: 0)))
            return
        }
        self.environment.engine.read(logQuery) { [ref = self.ref] result in
            ref.post { shard in
                if case .failure(.reset) = result { shard.reportLost(query.room, log) }
                completion(shard, result.map(query.visible).mapError { _ in Self.unreadable })
            }
        }
    }

    private static let unreadable = RequestError(
        .storageUnavailable,
        "the history of this room cannot be read now; ask again",
        retryAfterMilliseconds: 1_000
    )
}
