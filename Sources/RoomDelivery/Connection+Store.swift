import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Reading from the store: what a subscriber missed, and answers to `history`.
extension Connection {
    /// How much of the store a subscriber gets at a time. What the socket does not take is read again later, so that a
    /// slow reader costs no memory.
    fileprivate static let pageBytes = 64 * 1024

    func readPage(_ subscriber: Subscriber, _ replay: StoreReplay) {
        guard !replay.isReading else { return }
        guard subscriber.lastSeq < replay.through else {
            subscriber.state = .live
            self.deliver(to: subscriber)
            self.shard.enqueue(self)
            return
        }
        var replay = replay
        replay.isReading = true
        subscriber.state = .reading(replay)
        if self.shard.pageReads.begin(subscriber) { self.shard.readPage(for: subscriber) }
    }

    /// A page has come, or could not be read.
    func pageRead(_ subscriber: Subscriber, _ result: Result<LogPage, EngineError>) {
        guard self.subscribers[subscriber.replica.key.room] === subscriber,
            case .reading(var replay) = subscriber.state
        else { return }
        replay.isReading = false
        subscriber.state = .reading(replay)
        switch result {
        case .success(let page): self.write(page, to: subscriber, replay)
        case .failure(.reset): self.resync(subscriber)
        case .failure(.unavailable):
            self.goodbye(
                .storageUnavailable,
                reason: "the history cannot be read now; connect again with \"since\"",
                retryAfterMilliseconds: 1_000
            )
        }
    }

    private func write(_ page: LogPage, to subscriber: Subscriber, _ replay: StoreReplay) {
        let through = page.entries.last?.seq ?? replay.through
        if let first = page.entries.first?.seq ?? (page.hasMore ? nil : replay.through + 1),
            first > subscriber.lastSeq + 1, replay.historyIndex == nil
        {
            self.tellExpired(subscriber, through: first - 1)
            subscriber.lastSeq = first - 1
        }
        if page.entries.isEmpty { subscriber.lastSeq = max(subscriber.lastSeq, through) }
        var written = StoreFrames(
            page.entries,
            self.carrier,
            room: subscriber.replica.key.room,
            historyIndex: replay.historyIndex
        )
        guard self.outlet.flush() else {
            self.owesDelivery = true
            return
        }
        while written.offset < written.bytes.writerIndex, !self.outlet.isBlocked, self.outlet.isOpen {
            // a plain-text client takes one read for one message
            let stop = self.carrier == .textLines ? written.end(written.offset) : written.bytes.writerIndex
            written.offset = self.outlet.write(
                written.bytes,
                from: written.offset,
                to: stop,
                frameEnd: written.end
            )
        }
        let count = written.count
        if count > 0 {
            subscriber.lastSeq = page.entries[count - 1].seq
            var replay = replay
            replay.historyIndex = replay.historyIndex.map { $0 + count }
            subscriber.state = .reading(replay)
        }
        if self.outlet.isBlocked {
            self.owesDelivery = true
        } else {
            self.deliver(to: subscriber)
        }
    }

    private func tellExpired(_ subscriber: Subscriber, through seq: UInt64) {
        let replica = subscriber.replica
        guard self.carrier == .jsonLines else { return }
        self.reply { [last = subscriber.lastSeq] frame in
            frame.gap(
                room: replica.key.room,
                epoch: replica.epoch,
                from: last + 1,
                through: seq,
                reason: Gap.Reason.expired.rawValue
            )
        }
    }

    // MARK: Queries

    func readHistory(_ query: HistoryRead) {
        guard let log = query.log, let retention = query.retention else {
            self.refused(
                RequestError(.storageUnavailable, "the history of this room cannot be reached; try again later")
                    .answering(query.origin.callback),
                to: query.origin
            )
            return
        }
        let logQuery = query.logQuery(log, retention, limits: self.shard.limits, now: self.shard.environment.clock())
        let (ref, number) = (self.shard.ref, self.ref.number)
        self.shard.environment.engine.read(logQuery) { result in
            ref.post { shard in
                if case .failure(.reset) = result { shard.reportLost(query.room, log) }
                shard.connections[number]?.historyRead(query, result)
            }
        }
    }

    private func historyRead(_ query: HistoryRead, _ result: Result<LogPage, EngineError>) {
        guard let callback = query.origin.callback else { return }
        defer { self.queryAnswered() }
        guard case .success(let page) = result else {
            self.refuse(
                RequestError(
                    .storageUnavailable,
                    "the history of this room cannot be read now; ask again",
                    callback: callback,
                    retryAfterMilliseconds: 1_000
                )
            )
            return
        }
        let writer = PublishWriter(room: query.room.room)
        self.reply { frame in
            frame.field("callback", callback)
            frame.field("messages", array: page.entries) { writer.writeStored($0.tail, into: &$1) }
            frame.field("more", page.hasMore)
        }
    }
}

/// A `history` query at its place in the room's order.
struct HistoryRead: Sendable {
    var origin: Origin
    var room: RoomKey
    var request: HistoryRequest
    /// The newest message at that place.
    var seq: UInt64
    var log: LogID?
    var retention: HistorySettings?

    func logQuery(_ log: LogID, _ retention: HistorySettings, limits: BrokerLimits, now: Int64) -> LogQuery {
        let range: LogQuery.Range =
            switch self.request.anchor {
            case .newest: .before(self.seq + 1)
            case .before(let seq): .before(min(seq, self.seq + 1))
            case .after(let seq): .after(min(seq, self.seq), through: self.seq)
            }
        return LogQuery(
            log: log,
            retention: retention,
            range: range,
            maxCount: min(self.request.limit ?? limits.historyReplay, limits.historyQuery),
            maxBytes: limits.historyBytes,
            now: now
        )
    }
}

/// A page of the store as frames: `publish`, or `history_message` where an index is given; or as lines of text.
private struct StoreFrames {
    var bytes = ByteBuffer()
    /// Up to where the bytes are written or on their way.
    var offset = 0
    private var ends: [Int] = []

    init(_ entries: [LogEntry], _ carrier: Carrier, room: RoomName, historyIndex: Int?) {
        let writer = PublishWriter(room: room)
        for (index, entry) in entries.enumerated() {
            switch carrier {
            case .textLines: TextLineWriter.stored(entry.tail, into: &self.bytes)
            case .jsonLines: self.write(entry.tail, index: historyIndex.map { $0 + index }, writer)
            }
            self.ends.append(self.bytes.writerIndex)
        }
    }

    private mutating func write(_ tail: ByteBuffer, index: Int?, _ writer: PublishWriter) {
        if let index {
            writer.writeHistory(tail, index: index, into: &self.bytes)
        } else {
            writer.writeStored(tail, into: &self.bytes)
        }
        self.bytes.writeStaticString("\n")
    }

    /// The entries that are written.
    var count: Int { self.ends.count { $0 <= self.offset } }

    func end(_ index: Int) -> Int { self.ends.first { $0 > index } ?? self.bytes.writerIndex }
}

extension RoomShard {
    /// Reads the next page for a subscriber whose turn it is; the subscriber is held only until the page has come.
    func readPage(for subscriber: Subscriber) {
        guard case .reading(let replay) = subscriber.state, let log = subscriber.replica.log,
            let history = subscriber.connection.session.identity?.channel.settings.history
        else {
            self.pageEnded()
            if case .reading = subscriber.state { subscriber.connection.resync(subscriber) }
            return
        }
        let query = LogQuery(
            log: log,
            retention: history,
            range: .after(subscriber.lastSeq, through: replay.through),
            maxCount: self.limits.historyQuery,
            maxBytes: Connection.pageBytes,
            now: self.environment.clock()
        )
        let bound = NIOLoopBound(subscriber, eventLoop: self.eventLoop)
        self.environment.engine.read(query) { [ref = self.ref, key = subscriber.replica.key] result in
            ref.post { shard in
                switch result {
                case .success(let page) where page.oldestSeq > query.oldestWanted:
                    shard.reportTrimmed(key, log, oldest: page.oldestSeq)
                case .failure(.reset): shard.reportLost(key, log)
                case .success, .failure: break
                }
                bound.value.connection.pageRead(bound.value, result)
                shard.pageEnded()
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
