import RoomCore
import RoomModel

extension HistoryRead {
    /// Reads what the query is about.
    ///
    /// - Parameter completion: called on the loop of the room's owner, so that what is passed on from there comes before all
    ///   that the owner says later. Gets `nil` where a message of the page, or the whole log, is gone meanwhile: the room is
    ///   to be asked again.
    func run(
        in context: ShardContext,
        for asker: ReadAsker,
        completion: @escaping @Sendable (RoomOwner, Result<LogPage, RequestError>?) -> Void
    ) {
        let owner = context.peers[context.owner(of: self.room)]
        guard let log = self.log, let retention = self.retention else {
            return owner.post { completion($0.owner, .failure(Self.unreachable)) }
        }
        let now = context.environment.clock()
        guard let logQuery = self.logQuery(log, retention, limits: context.limits, now: now, asker: asker) else {
            return owner.post { completion($0.owner, .success(LogPage(entries: [], hasMore: false, oldestSeq: 0))) }
        }
        context.reader.read(logQuery) { result in
            owner.post { shard in
                let isOutdated = shard.owner.isOutdated((try? result.get())?.entries ?? [], of: self)
                if case .failure(.reset) = result { shard.owner.logReported(.lost, of: self.room, log) }
                completion(
                    shard.owner,
                    isOutdated ? nil : result.map(self.visible).mapError { _ in Self.unreadable }
                )
            }
        }
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

extension RoomOwner {
    /// Whether these entries, which were read for the query, are not what the room has any more.
    fileprivate func isOutdated(_ entries: [LogEntry], of query: HistoryRead) -> Bool {
        // where the room was let go of, nothing has happened in it for long
        guard let owned = self.rooms[query.room] else { return false }
        let view = owned.order.view
        return view.log != query.log || view.epoch != query.epoch
            || owned.redactions.meet(entries, after: query.seq, in: query.epoch)
    }

    /// Puts a query that was answered by what is gone to the room once more.
    func readAgain(_ query: HistoryRead) {
        self.take(.history(query.origin, query.request), for: query.room)
    }
}
