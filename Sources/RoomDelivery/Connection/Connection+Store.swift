import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Reading from the store: what a subscriber missed, and answers to `history`.
extension Connection {
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
        self.shard.local.wantsPage(subscriber)
    }

    /// A page has come, or could not be read.
    ///
    /// - Parameter log: the one that it was read from.
    func pageRead(_ subscriber: Subscriber, of log: LogID, _ result: Result<LogPage, EngineError>) {
        guard self.subscribers[subscriber.replica.key.room] === subscriber,
            case .reading(var replay) = subscriber.state
        else { return }
        let isStale = replay.isStale || log != subscriber.replica.log
        replay.isReading = false
        replay.isStale = false
        subscriber.state = .reading(replay)
        switch result {
        case .success where isStale: self.deliver(to: subscriber)
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
            first > subscriber.lastSeq + 1, replay.numbering == nil
        {
            self.tellExpired(subscriber, through: first - 1)
            subscriber.lastSeq = first - 1
        }
        if page.entries.isEmpty { subscriber.lastSeq = max(subscriber.lastSeq, through) }
        var written = StoreFrames(
            page.entries,
            self.wireFormat,
            room: subscriber.replica.key.room,
            numbering: replay.numbering
        )
        guard self.writer.flush() else {
            self.owesDelivery = true
            return
        }
        while written.offset < written.bytes.writerIndex, !self.writer.isBlocked, self.writer.isOpen {
            // a plain-text client takes one read for one message
            let stop =
                self.wireFormat.writesEntriesOneByOne ? written.end(written.offset) : written.bytes.writerIndex
            written.offset = self.writer.write(
                written.bytes,
                from: written.offset,
                to: stop,
                frameEnd: written.end
            )
        }
        let count = written.count
        self.shard.tally.counters.storeReads += 1
        self.shard.tally.delivered(count, bytes: written.offset)
        if count > 0 {
            subscriber.lastSeq = page.entries[count - 1].seq
            var replay = replay
            replay.numbering = replay.numbering?.advanced(by: page.messages(in: count))
            subscriber.state = .reading(replay)
        }
        if self.writer.isBlocked {
            self.owesDelivery = true
        } else {
            self.deliver(to: subscriber)
        }
    }

    private func tellExpired(_ subscriber: Subscriber, through seq: UInt64) {
        let replica = subscriber.replica
        self.shard.tally.told(.expired)
        guard self.wireFormat.hasControlFrames else { return }
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
        query.run(in: self.shard.context) { [home = self.shard.ref, number = self.ref.number] owner, result in
            guard let result else { return owner.readAgain(query) }
            home.post { shard in shard.connections[number]?.historyRead(query, result) }
        }
    }

    private func historyRead(_ query: HistoryRead, _ result: Result<LogPage, RequestError>) {
        guard let callback = query.origin.callback else { return }
        // it may have been banned while the page was read
        switch self.session.ban(from: query.room.room).map({ .failure($0) }) ?? result {
        case .failure(let error):
            self.refused(error.answering(callback), to: query.origin)
        case .success(let page):
            let writer = PublishWriter(room: query.room.room)
            self.reply { frame in
                frame.field("callback", callback)
                frame.field("messages", array: page.entries) { writer.writeStored($0, into: &$1) }
                frame.field("more", page.hasMore)
            }
            self.queryAnswered()
        }
    }
}

/// A page of the store as frames: those of the log, or only its messages as `history_message` where they are numbered; or
/// as lines of text.
private struct StoreFrames {
    var bytes = ByteBuffer()
    /// Up to where the bytes are written or on their way.
    var offset = 0
    private var ends: [Int] = []

    init(_ entries: [LogEntry], _ wireFormat: WireFormat, room: RoomName, numbering: HistoryNumbering?) {
        let writer = PublishWriter(room: room)
        var messages = 0
        for entry in entries {
            let index = numbering?.index(of: entry.seq, offset: messages)
            wireFormat.write(stored: entry, index: index, writer, into: &self.bytes)
            if entry.kind != .redaction { messages += 1 }
            self.ends.append(self.bytes.writerIndex)
        }
    }

    /// The entries that are written.
    var count: Int { self.ends.count { $0 <= self.offset } }

    func end(_ index: Int) -> Int { self.ends.first { $0 > index } ?? self.bytes.writerIndex }
}

extension LogPage {
    /// How many of the first so many entries are messages.
    fileprivate func messages(in count: Int) -> Int { self.entries.prefix(count).count { $0.kind != .redaction } }
}
