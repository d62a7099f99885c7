import NIOCore
import RoomCore
import RoomModel

/// A `history` query at its place in the room's order.
struct HistoryRead: Sendable {
    var origin: Origin
    var room: RoomKey
    var request: HistoryRequest
    /// The log, and its newest message, at that place.
    var epoch: Epoch
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
    /// Reads what the query is about.
    ///
    /// - Parameter completion: called on the loop of the room's owner, so that what is passed on from there comes before all
    ///   that the owner says later. Gets `nil` where a message of the page, or the whole log, is gone meanwhile: the room is
    ///   to be asked again.
    func read(
        _ query: HistoryRead,
        completion: @escaping @Sendable (RoomShard, Result<LogPage, RequestError>?) -> Void
    ) {
        let owner = self.peers[self.owner(of: query.room)]
        guard let log = query.log, let retention = query.retention else {
            return owner.post { completion($0, .failure(Self.unreachable)) }
        }
        let now = self.environment.clock()
        guard let logQuery = query.logQuery(log, retention, limits: self.limits, now: now) else {
            return owner.post { completion($0, .success(LogPage(entries: [], hasMore: false, oldestSeq: 0))) }
        }
        self.environment.engine.read(logQuery) { result in
            owner.post { owner in
                let isOutdated = owner.isOutdated((try? result.get())?.entries ?? [], of: query)
                if case .failure(.reset) = result { owner.reportLost(query.room, log) }
                completion(owner, isOutdated ? nil : result.map(query.visible).mapError { _ in Self.unreadable })
            }
        }
    }

    /// Whether these entries, which were read for the query, are not what the room has any more.
    private func isOutdated(_ entries: [LogEntry], of query: HistoryRead) -> Bool {
        // where the room was let go of, nothing has happened in it for long
        guard let owned = self.owned[query.room] else { return false }
        return owned.room.log != query.log || owned.room.epoch != query.epoch
            || owned.redactions.meet(entries, after: query.seq, in: query.epoch)
    }

    /// Puts a query that was answered by what is gone to the room once more.
    func readAgain(_ query: HistoryRead) {
        let command = RoomCommand.history(query.origin, query.request)
        guard let owned = self.ownedRoom(query.room) else {
            return self.refuse(command, to: query.room, Session.unknownChannel)
        }
        self.accept(command, in: owned)
    }

    private static let unreachable = RequestError(
        .storageUnavailable,
        "the history of this room cannot be reached; try again later"
    )

    private static let unreadable = RequestError(
        .storageUnavailable,
        "the history of this room cannot be read now; ask again",
        retryAfterMilliseconds: 1_000
    )
}
