import DequeModule
import NIOCore
import RoomCore

/// Bounds how many pages a shard asks of the store at a time; whoever comes later waits for a turn.
struct PageReads {
    private static let limit = 32

    private var active = 0
    private var waiting: Deque<Subscriber> = []

    /// Whether to read now; otherwise the subscriber's turn comes from `ended`.
    mutating func begin(_ subscriber: Subscriber) -> Bool {
        guard self.active < Self.limit else {
            self.waiting.append(subscriber)
            return false
        }
        self.active += 1
        return true
    }

    /// A read has ended; gives the one whose turn it is now.
    mutating func ended() -> Subscriber? {
        guard let next = self.waiting.popFirst() else {
            self.active -= 1
            return nil
        }
        return next
    }
}

extension LocalRooms {
    /// How much of the store a subscriber gets at a time. What the socket does not take is read again later, so that a
    /// slow reader costs no memory.
    private static let pageBytes = 64 * 1024

    /// A subscriber is to get a page of the store.
    func wantsPage(_ subscriber: Subscriber) {
        if self.pageReads.begin(subscriber) { self.readPage(for: subscriber) }
    }

    /// Reads the next page for a subscriber whose turn it is; the subscriber is held only until the page has come.
    private func readPage(for subscriber: Subscriber) {
        guard case .reading(let replay) = subscriber.state, let log = subscriber.replica.log,
            let history = subscriber.replica.retention
        else {
            self.pageEnded()
            if case .reading = subscriber.state { subscriber.resync() }
            return
        }
        let query = LogQuery(
            log: log,
            retention: history,
            range: .after(subscriber.lastSeq, through: replay.through),
            maxCount: self.context.limits.historyQuery,
            maxBytes: Self.pageBytes,
            now: self.context.environment.clock()
        )
        let bound = NIOLoopBound(subscriber, eventLoop: self.context.eventLoop)
        self.context.engine.read(query) { [ref = self.context.ref, key = subscriber.replica.key] result in
            ref.post { shard in
                switch result {
                case .success(let page) where page.oldestSeq > query.oldestWanted:
                    shard.context.report(.trimmed(oldest: page.oldestSeq), of: key, log)
                case .failure(.reset): shard.context.report(.lost, of: key, log)
                case .success, .failure: break
                }
                bound.value.pageRead(of: log, result)
                shard.local.pageEnded()
            }
        }
    }

    private func pageEnded() {
        guard let next = self.pageReads.ended() else { return }
        self.readPage(for: next)
    }
}

extension LogQuery {
    /// The oldest message that the query is about.
    fileprivate var oldestWanted: UInt64 {
        switch self.range {
        case .after(let seq, _): seq + 1
        case .before: 0
        }
    }
}
