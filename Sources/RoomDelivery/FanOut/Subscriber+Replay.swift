import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Reading what the member missed from the store, a page at a time.
extension Subscriber {
    func readPage(_ replay: StoreReplay) {
        guard !replay.isReading, !replay.awaitsLog else { return }
        guard self.lastSeq < replay.through else {
            if self.isShortOfLog { return self.resync() }
            self.state = .live
            self.deliver()
            self.shard.enqueue(self.connection)
            return
        }
        var replay = replay
        replay.isReading = true
        self.state = .reading(replay)
        self.shard.local.wantsPage(self)
    }

    /// A page has come, or could not be read.
    ///
    /// - Parameter range: what was asked for when its turn came.
    func pageRead(_ range: PageReads.Range, _ result: Result<StorePage, EngineError>) {
        self.awaitsPage = false
        guard self.member.subscriptions.contains(self), self.takeChanges(),
            case .reading(var replay) = self.state
        else { return }
        // it may have begun anew meanwhile, in another log
        let isStale =
            replay.isStale || !replay.isReading || range.log != self.replica.log || range.after != self.lastSeq
        replay.isReading = false
        replay.isStale = false
        self.state = .reading(replay)
        if isStale { return self.deliver() }
        switch result {
        case .success(let page): self.write(page, of: range, replay)
        case .failure(.reset): self.logIsLost(to: replay)
        case .failure(.unavailable), .failure(.readOnly), .failure(.full), .failure(.tooManyRooms):
            self.connection.goodbye(
                .storageUnavailable,
                reason: "the history cannot be read now; connect again with \"since\"",
                retryAfterMilliseconds: 1_000
            )
        }
    }

    private func write(_ stored: StorePage, of range: PageReads.Range, _ replay: StoreReplay) {
        let page = stored.page
        // the log may go on further by now than was asked for
        let through = page.entries.last?.seq ?? range.through
        if let first = page.lost?.lowerBound ?? page.entries.first?.seq ?? (page.hasMore ? nil : range.through + 1),
            first > self.lastSeq + 1, replay.numbering == nil
        {
            self.miss(through: first - 1, page.hasExpired ? .expired : .trimmed)
        }
        if let lost = page.lost { self.miss(through: lost.upperBound, from: lost.lowerBound, .lost) }
        if page.entries.isEmpty { self.lastSeq = max(self.lastSeq, through) }
        var written = stored.frames(
            self.wireFormat,
            room: self.replica.key.room,
            self.replica.epoch,
            numbering: replay.numbering
        )
        guard self.writer.flush() else {
            self.member.owesDelivery = true
            return
        }
        let writesBefore = self.writer.writes
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
        self.connection.share.cause(Work.writes(self.writer.writes - writesBefore, bytes: written.offset))
        let count = written.count
        self.shard.tally.delivered(count, bytes: written.offset)
        if count > 0 {
            self.lastSeq = page.entries[count - 1].seq
            var replay = replay
            replay.numbering = replay.numbering?.advanced(by: page.messages(in: count))
            self.state = .reading(replay)
        }
        if self.writer.isBlocked {
            self.member.owesDelivery = true
        } else {
            self.deliver()
        }
    }

    /// Goes on behind messages that it does not get.
    ///
    /// - Parameter first: the first of them; `nil`: all that comes next.
    private func miss(through seq: UInt64, from first: UInt64? = nil, _ reason: Gap.Reason) {
        defer {
            self.lastSeq = seq
            self.completeAfter = seq
        }
        let replica = self.replica
        self.shard.tally.told(reason)
        guard self.wireFormat.hasControlFrames else { return }
        let gap = GapEvent(
            room: replica.key.room,
            epoch: replica.epoch.description,
            from: first ?? self.lastSeq + 1,
            through: seq,
            reason: reason.rawValue
        )
        self.connection.reply { $0.frame(gap) }
        self.connection.marks(replica.epoch, seq)
    }
}

extension LogPage {
    /// How many of the first so many entries are messages.
    fileprivate func messages(in count: Int) -> Int { self.entries.prefix(count).count { $0.kind.isMessage } }
}
