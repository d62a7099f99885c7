import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Writing from a subscriber's cursor to the head of its room's log: one mechanism for live messages, slow readers,
/// recovery and history.
extension Connection {
    /// Starts a subscriber where its grant says: presence, the gap, what it missed, then live. After a jump the gap comes
    /// first: it says where the subscriber was, the presence where it is.
    func begin(_ subscriber: Subscriber, _ admission: Admission, at start: Cursor) {
        let (grant, room) = (admission.grant, subscriber.replica.key.room)
        if admission.join.isResync, let gap = grant.gap { self.tell(gap, room, grant.epoch) }
        if let snapshot = admission.snapshot { self.tell(snapshot, room) }
        if !admission.join.isResync, let gap = grant.gap { self.tell(gap, room, grant.epoch) }
        subscriber.cursor = start
        subscriber.lastSeq = grant.seq
        switch grant.replay {
        case .none: subscriber.state = .live
        case .window(let after):
            subscriber.cursor = subscriber.replica.window.cursor(after: after, self.wireFormat)
            subscriber.lastSeq = after
            subscriber.state = .replaying(until: start)
        case .store(let after):
            subscriber.lastSeq = after
            subscriber.state = .reading(StoreReplay(through: grant.seq))
        case .history(let after, let redactions):
            subscriber.lastSeq = after
            let numbering = HistoryNumbering(self.historyOrder, newest: grant.seq, redactions: redactions)
            subscriber.state = .reading(StoreReplay(through: grant.seq, numbering: numbering))
        }
        self.owesDelivery = true
        self.shard.enqueue(self)
    }

    private var historyOrder: HistoryOrder { self.session.identity?.channel.settings.historyOrder ?? .oldestFirst }

    private func tell(_ list: MemberSnapshot, _ room: RoomName) {
        self.reply { $0.members(room: room, list.members, count: list.count) }
    }

    private func tell(_ gap: Gap, _ room: RoomName, _ epoch: Epoch) {
        self.shard.tally.told(gap.reason)
        guard self.wireFormat.hasControlFrames else { return }
        self.reply { frame in
            frame.gap(
                room: room,
                epoch: epoch,
                from: gap.from,
                through: gap.through,
                reason: gap.reason.rawValue
            )
        }
    }

    /// Writes what the subscriber has not got, as far as the socket takes it now.
    func deliver(to subscriber: Subscriber) {
        guard self.writer.flush() else {
            self.owesDelivery = true
            self.disconnectIfHopeless(subscriber)
            return
        }
        switch subscriber.state {
        case .held, .resyncing: return
        case .live: self.deliverLive(subscriber)
        case .replaying(let end): self.deliverReplay(subscriber, until: end)
        case .reading(let replay): self.readPage(subscriber, replay)
        }
    }

    private func deliverLive(_ subscriber: Subscriber) {
        while let chunk = subscriber.replica.window[subscriber.cursor.chunk] {
            if subscriber.cursor.offset == 0, chunk.seqBefore > subscriber.lastSeq {
                // the log was read again and went on further than this subscriber was told
                self.resync(subscriber)
                return
            }
            let end = chunk.bytes(self.wireFormat).writerIndex
            let mayGoOn = self.write(chunk, subscriber, until: end, onlyMessages: false)
            if subscriber.cursor.offset == end { subscriber.passed(chunk) }
            guard mayGoOn else { return }
        }
        if subscriber.cursor.chunk < subscriber.replica.window.start { self.resync(subscriber) }
    }

    private func deliverReplay(_ subscriber: Subscriber, until end: Cursor) {
        while subscriber.cursor.chunk <= end.chunk, let chunk = subscriber.replica.window[subscriber.cursor.chunk] {
            let isLast = chunk.number == end.chunk
            let stop = isLast ? end.offset : chunk.bytes(self.wireFormat).writerIndex
            guard self.write(chunk, subscriber, until: stop, onlyMessages: true) else { return }
            subscriber.lastSeq = max(subscriber.lastSeq, chunk.seq(at: stop, self.wireFormat))
            subscriber.cursor = isLast ? end : Cursor(chunk: chunk.number + 1, offset: 0)
            if isLast { break }
        }
        if subscriber.cursor.chunk < subscriber.replica.window.start {
            self.resync(subscriber)
            return
        }
        subscriber.state = .live
        self.deliverLive(subscriber)
    }

    /// Writes what came before the end of a subscriber's time in the room, as far as the socket takes it now.
    func deliver(to subscriber: Subscriber, before end: Cursor) {
        guard subscriber.isLive, self.writer.flush() else { return }
        while subscriber.cursor.chunk <= end.chunk, let chunk = subscriber.replica.window[subscriber.cursor.chunk],
            subscriber.cursor.offset > 0 || chunk.seqBefore <= subscriber.lastSeq
        {
            let isLast = chunk.number == end.chunk
            let stop = isLast ? end.offset : chunk.bytes(self.wireFormat).writerIndex
            guard self.write(chunk, subscriber, until: stop, onlyMessages: false), !isLast else { return }
            subscriber.passed(chunk)
        }
    }

    /// - Returns: whether all up to `end` is written and more can follow.
    private func write(_ chunk: Chunk, _ subscriber: Subscriber, until end: Int, onlyMessages: Bool) -> Bool {
        let bytes = chunk.bytes(self.wireFormat)
        let inOnePiece = !onlyMessages && chunk.exclusions.isEmpty && !self.wireFormat.writesEntriesOneByOne
        while subscriber.cursor.offset < end {
            let from = subscriber.cursor.offset
            let piece = inOnePiece ? from..<end : self.nextPiece(chunk, from: from, until: end, onlyMessages)
            if piece.isEmpty {
                subscriber.cursor.offset = end
                break
            }
            subscriber.cursor.offset = self.writer.write(bytes, from: piece.lowerBound, to: piece.upperBound) { index in
                chunk.end(ofEntry: chunk.entry(after: index, self.wireFormat), self.wireFormat)
            }
            self.countDelivery(of: chunk, piece.lowerBound..<subscriber.cursor.offset)
            if self.writer.isBlocked || !self.writer.isOpen {
                subscriber.lastSeq = max(subscriber.lastSeq, chunk.seq(at: subscriber.cursor.offset, self.wireFormat))
                self.owesDelivery = true
                return false
            }
        }
        return true
    }

    private func countDelivery(of chunk: Chunk, _ range: Range<Int>) {
        // a line of text is a piece of its own, and what no line tells of ends where the line before it does
        let count =
            self.wireFormat.writesEntriesOneByOne
            ? 1
            : chunk.entry(after: range.upperBound, self.wireFormat)
                - chunk.entry(after: range.lowerBound, self.wireFormat)
        self.shard.tally.delivered(count, bytes: range.count)
    }

    /// The kernel took only the start of a chunk, of which the fan-out counts all as delivered.
    func wrote(_ count: Int, of chunk: Chunk, to subscriber: Subscriber) {
        let (format, bytes) = (self.wireFormat, chunk.bytes(self.wireFormat))
        subscriber.cursor.offset = self.writer.finishFrame(of: bytes, at: count) { index in
            chunk.end(ofEntry: chunk.entry(after: index, format), format)
        }
        let end = subscriber.cursor.offset
        subscriber.lastSeq = max(subscriber.lastSeq, chunk.seq(at: end, format))
        self.shard.tally.delivered(
            chunk.entry(after: end, format) - chunk.entries.count,
            bytes: end - bytes.writerIndex
        )
        if end == bytes.writerIndex { subscriber.passed(chunk) }
        self.owesDelivery = true
        if !self.writer.isBlocked { self.shard.enqueue(self) }
    }

    /// The next entries that this connection is to get, as long as they follow each other; plain-text clients take one
    /// read for one message, so each of their lines is a write of its own.
    private func nextPiece(_ chunk: Chunk, from offset: Int, until end: Int, _ onlyMessages: Bool) -> Range<Int> {
        var index = chunk.entry(after: offset, self.wireFormat)
        var start = offset
        while index < chunk.entries.count, start < end {
            if self.gets(index, of: chunk, onlyMessages) { break }
            start = chunk.end(ofEntry: index, self.wireFormat)
            index += 1
        }
        var stop = start
        while index < chunk.entries.count, stop < end, self.gets(index, of: chunk, onlyMessages) {
            stop = chunk.end(ofEntry: index, self.wireFormat)
            index += 1
            if self.wireFormat.writesEntriesOneByOne, stop > start { break }
        }
        return start..<min(stop, max(start, end))
    }

    private func gets(_ entry: Int, of chunk: Chunk, _ onlyMessages: Bool) -> Bool {
        if onlyMessages { return chunk.entries[entry].seq > 0 }
        return !chunk.isExcluded(entry, for: self.ref)
    }

    // MARK: Lagging

    /// The window has moved past the cursor: the owner says where to go on.
    func resync(_ subscriber: Subscriber) {
        guard let identity = self.session.identity else { return }
        subscriber.state = .resyncing
        let command = JoinCommand(
            connection: self.ref,
            member: identity.sender,
            clientID: identity.clientID,
            wireFormat: self.wireFormat,
            start: .resync(seq: subscriber.lastSeq, subscriber.overflow)
        )
        self.shard.submit(.join(command), to: subscriber.replica.key.room, in: identity.channel)
    }

    func resynced(_ subscriber: Subscriber, _ admission: Admission, at start: Cursor) {
        if admission.grant.gap?.reason == .slow, subscriber.overflow == .disconnect {
            self.disconnectSlowConsumer()
            return
        }
        self.begin(subscriber, admission, at: start)
    }

    /// A member that reads nothing, whose messages are gone from the window and are nowhere else.
    private func disconnectIfHopeless(_ subscriber: Subscriber) {
        guard subscriber.isLive, subscriber.overflow == .disconnect, subscriber.replica.log == nil,
            subscriber.cursor.chunk < subscriber.replica.window.start
        else { return }
        self.disconnectSlowConsumer()
    }

    private func disconnectSlowConsumer() {
        self.goodbye(
            .slowConsumer,
            reason: "this client read too slowly; subscribe with \"overflow\" to skip messages instead"
        )
    }

    /// The log was opened again and is another one: nothing of it was missed, all of the old one is gone.
    func logRestarted(_ subscriber: Subscriber, after seq: UInt64, snapshot: MemberSnapshot?, head: Cursor) {
        let replica = subscriber.replica
        let gap = Gap(from: 1, through: seq, reason: .epoch)
        subscriber.lastSeq = seq
        subscriber.cursor = head
        if case .held(var admission) = subscriber.state {
            admission.grant = JoinGrant(
                epoch: replica.epoch,
                seq: seq,
                recovered: admission.grant.recovered,
                gap: gap
            )
            admission.snapshot = snapshot
            subscriber.state = .held(admission)
            return
        }
        subscriber.state = .live
        self.tell(gap, replica.key.room, replica.epoch)
        if let snapshot, self.wireFormat.hasControlFrames { self.tell(snapshot, replica.key.room) }
        self.owesDelivery = true
    }

    /// The room was cleared: it begins anew at `head`.
    func roomCleared(_ subscriber: Subscriber, _ cleared: RoomCleared, head: Cursor) {
        subscriber.lastSeq = 0
        subscriber.cursor = head
        if case .held(var admission) = subscriber.state {
            let hasPosition = admission.grant.recovered != nil
            admission.grant = JoinGrant(
                epoch: subscriber.replica.epoch,
                seq: 0,
                recovered: hasPosition ? false : nil,
                gap: hasPosition ? Gap(from: 1, through: 0, reason: .cleared) : nil
            )
            admission.snapshot = cleared.snapshot
            subscriber.state = .held(admission)
            return
        }
        subscriber.state = .live
        self.owesDelivery = true
        guard self.wireFormat.hasControlFrames else { return self.shard.enqueue(self) }
        let room = subscriber.replica.key.room
        self.reply(stamp: cleared.stamp) { $0.roomCleared(room, epoch: cleared.epoch) }
        if let snapshot = cleared.snapshot { self.tell(snapshot, room) }
    }

    /// The log was opened again and goes on further: what it has beyond the subscriber's position is replayed.
    func logGoesOn(_ subscriber: Subscriber, through seq: UInt64) {
        switch subscriber.state {
        case .live, .replaying:
            self.resync(subscriber)
        case .reading(var replay) where replay.numbering == nil:
            replay.through = seq
            subscriber.state = .reading(replay)
        case .held, .reading, .resyncing:
            // the next chunk shows what it has missed
            return
        }
    }
}
