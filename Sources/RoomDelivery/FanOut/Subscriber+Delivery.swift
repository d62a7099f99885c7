import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// Writing from the cursor to the head of the room's log: one mechanism for live messages, slow readers, recovery and
/// history.
extension Subscriber {
    var connection: Connection { self.member.connection }
    var shard: RoomShard { self.connection.shard }

    /// Starts where the grant says: presence, the gap, what it missed, then live. After a jump the gap comes
    /// first: it says where the member was, the presence where it is.
    func begin(_ admission: Admission, at start: Cursor) {
        let (grant, room) = (admission.grant, self.replica.key.room)
        if self.isOutrun(grant, at: start) { return self.beginLater(admission) }
        if admission.join.isResync, let gap = grant.gap {
            self.tell(gap, room, grant.epoch)
            self.completeAfter = gap.through
        }
        if let snapshot = admission.snapshot { self.tell(snapshot, room) }
        self.sendHeldReply(grant)
        if !admission.join.isResync, let gap = grant.gap { self.tell(gap, room, grant.epoch) }
        self.cursor = start
        self.lastSeq = grant.start
        self.wasKeptWaiting = false
        self.isBeginning = true
        switch grant.replay {
        case .none: self.state = self.hearing(since: self.connection.hearsSince.take(), until: start)
        case .window(let after):
            self.cursor = self.replica.window.cursor(after: after, self.wireFormat)
            self.state = .replaying(until: start)
        case .store: self.state = .reading(StoreReplay(through: grant.seq))
        case .history(_, let redactions):
            let order = self.member.channel.settings.historyOrder
            let numbering = HistoryNumbering(order, newest: grant.seq, redactions: redactions)
            self.state = .reading(StoreReplay(through: grant.seq, numbering: numbering))
        }
        self.member.owesDelivery = true
        self.shard.enqueue(self.connection)
    }

    /// Whether the log has gone on meanwhile, so that the window alone does not have all that the grant promises.
    private func isOutrun(_ grant: JoinGrant, at start: Cursor) -> Bool {
        switch grant.replay {
        case .none: return self.isShortOfLog || start.chunk < self.replica.window.start
        case .window(let after):
            guard !self.isShortOfLog, let first = self.replica.window.start(in: self.wireFormat) else { return true }
            return first > after
        case .store, .history: return false
        }
    }

    /// The owner says anew where to go on: the list of members that came with the grant is old.
    private func beginLater(_ admission: Admission) {
        if !admission.join.isResync {
            let grant = admission.grant
            self.sendHeldReply(grant)
            if let gap = grant.gap { self.tell(gap, self.replica.key.room, grant.epoch) }
            self.lastSeq = grant.start
            self.wasKeptWaiting = true
        }
        self.resync()
    }

    private func sendHeldReply(_ grant: JoinGrant) {
        if let reply = self.heldReply.take() { self.member.send(reply, grant) }
    }

    /// The member leaves the room before it has begun: its subscribe is answered in any case.
    func left() {
        if case .held(let admission) = self.state { self.sendHeldReply(admission.grant) }
    }

    func tell(_ list: MemberSnapshot, _ room: RoomName) {
        self.connection.reply { $0.frame(ObservableMembers(room: room, list)) }
    }

    func tell(_ gap: Gap, _ room: RoomName, _ epoch: Epoch) {
        self.shard.tally.told(gap.reason)
        guard self.wireFormat.hasControlFrames else { return }
        let event = GapEvent(
            room: room,
            epoch: epoch.description,
            from: gap.from,
            through: gap.through,
            reason: gap.reason.rawValue
        )
        self.connection.reply { $0.frame(event) }
        self.connection.marks(epoch, gap.through)
    }

    /// Writes what the member has not got, as far as the socket takes it now.
    ///
    /// - Parameter most: how many writes to make at once; the rest follows in the next turns.
    func deliver(atOnce most: Int = writesAtOnce) {
        // of a session that has ended it may still be in its replica
        guard !self.hasEnded, self.writer.takesDeliveries, self.isUpToDate || self.takeChanges(atOnce: most) else {
            return
        }
        guard self.writer.flush() else {
            self.isBeginning = false
            self.member.owesDelivery = true
            self.disconnectIfUnrecoverable()
            return
        }
        switch self.state {
        case .held, .resyncing: return
        case .live: self.delivered(self.deliverLive(from: self.replica.window, atOnce: most))
        case .replaying(let end):
            self.delivered(self.deliverReplay(from: self.replica.window, until: end, atOnce: most))
        case .reading(let replay): self.readPage(replay)
        }
    }

    private func delivered(_ reached: Reached) {
        switch reached {
        case .head: self.isBeginning = false
        case .part: if self.writer.isBlocked { self.isBeginning = false }
        case .behind:
            self.wasKeptWaiting = self.isBeginning
            self.resync()
        }
    }

    enum Reached {
        case head
        /// The next messages are not in the window.
        case behind
        /// More can be written later: the socket is full, or the others have their turn.
        case part
    }

    func deliverLive(from window: ChunkWindow, atOnce most: Int) -> Reached {
        while !self.hasEnded, let chunk = window[self.cursor.chunk] {
            // the log was read again and went on further than this member was told
            if self.cursor.offset == 0, chunk.seqBefore > self.lastSeq { return .behind }
            let end = self.renewal?.end(in: chunk, self.wireFormat) ?? chunk.bytes(self.wireFormat).writerIndex
            let mayGoOn = self.write(chunk, until: end, onlyMessages: false, atOnce: most)
            if self.beginsRenewal() { return .head }
            if self.cursor.offset == end { self.passed(chunk) }
            guard mayGoOn else { return .part }
        }
        if self.beginsRenewal() { return .head }
        return self.cursor.chunk < window.start ? .behind : .head
    }

    func deliverReplay(from window: ChunkWindow, until end: Cursor, atOnce most: Int) -> Reached {
        while self.cursor.chunk <= end.chunk, let chunk = window[self.cursor.chunk] {
            let isLast = chunk.number == end.chunk
            let stop = isLast ? end.offset : chunk.bytes(self.wireFormat).writerIndex
            guard self.write(chunk, until: stop, onlyMessages: true, atOnce: most) else { return .part }
            self.lastSeq = max(self.lastSeq, chunk.seq(at: stop, self.wireFormat))
            self.cursor = isLast ? end : Cursor(chunk: chunk.number + 1, offset: 0)
            if isLast { break }
        }
        if self.cursor.chunk < window.start { return .behind }
        self.state = .live
        return self.deliverLive(from: window, atOnce: most)
    }

    /// Writes what came before the end of the member's time in the room, as far as the socket takes it now, in as many
    /// writes as one turn may have: nothing comes after it.
    func deliver(before end: Cursor) {
        let first = self.writer.writes
        guard self.takeChanges(), self.isLive, self.writer.flush() else { return }
        while self.writer.writes - first < Self.writesAtOnce, self.cursor.chunk <= end.chunk,
            let chunk = self.replica.window[self.cursor.chunk],
            self.cursor.offset > 0 || chunk.seqBefore <= self.lastSeq
        {
            let isLast = chunk.number == end.chunk
            let stop = isLast ? end.offset : chunk.bytes(self.wireFormat).writerIndex
            guard self.write(chunk, until: stop, onlyMessages: false), !isLast else { return }
            self.passed(chunk)
        }
    }

    /// - Returns: whether all up to `end` is written and more can follow.
    private func write(
        _ chunk: Chunk,
        until end: Int,
        onlyMessages: Bool,
        atOnce most: Int = writesAtOnce
    ) -> Bool {
        let bytes = chunk.bytes(self.wireFormat)
        let inOnePiece =
            !onlyMessages && chunk.isWhole(asks: self.asksPresence) && !self.wireFormat.writesEntriesOneByOne
        let firstWrite = self.writer.writes
        while self.cursor.offset < end {
            if self.writer.writes - firstWrite >= most {
                self.lastSeq = max(self.lastSeq, chunk.seq(at: self.cursor.offset, self.wireFormat))
                self.member.owesDelivery = true
                self.shard.enqueue(self.connection)
                return false
            }
            let from = self.cursor.offset
            let piece = inOnePiece ? from..<end : self.nextPiece(chunk, from: from, until: end, onlyMessages)
            if piece.isEmpty {
                self.cursor.offset = end
                break
            }
            self.cursor.offset = self.writer.write(bytes, from: piece.lowerBound, to: piece.upperBound) { index in
                chunk.end(ofEntry: chunk.entry(after: index, self.wireFormat), self.wireFormat)
            }
            self.countDelivery(of: chunk, piece.lowerBound..<self.cursor.offset)
            // what it missed costs the member itself, what is live its publishers
            if onlyMessages { self.connection.share.cause(Work.write(bytes: self.cursor.offset - piece.lowerBound)) }
            if self.writer.isBlocked || !self.writer.isOpen {
                self.lastSeq = max(self.lastSeq, chunk.seq(at: self.cursor.offset, self.wireFormat))
                self.member.owesDelivery = true
                return false
            }
        }
        return true
    }

    /// A member that gets each line in a write of its own does not hold up the others for a whole chunk.
    static let writesAtOnce = 32

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
    func wrote(_ count: Int, of chunk: Chunk) {
        let (format, bytes) = (self.wireFormat, chunk.bytes(self.wireFormat))
        self.cursor.offset = self.writer.finishFrame(of: bytes, at: count) { index in
            chunk.end(ofEntry: chunk.entry(after: index, format), format)
        }
        let end = self.cursor.offset
        self.lastSeq = max(self.lastSeq, chunk.seq(at: end, format))
        self.shard.tally.delivered(
            chunk.entry(after: end, format) - chunk.entries.count,
            bytes: end - bytes.writerIndex
        )
        if end == bytes.writerIndex { self.passed(chunk) }
        self.member.owesDelivery = true
        if self.writer.isBlocked { self.isBeginning = false } else { self.shard.enqueue(self.connection) }
    }

    /// The next entries that this connection is to get, as long as they follow each other; empty where there are no more.
    /// Plain-text clients take one read for one message, so each of their lines is a write of its own.
    private func nextPiece(_ chunk: Chunk, from offset: Int, until end: Int, _ onlyMessages: Bool) -> Range<Int> {
        var index = chunk.entry(after: offset, self.wireFormat)
        var (start, stop) = (offset, offset)
        // Entries that its format does not tell may be all that is between two that it does not get.
        while start == stop, index < chunk.entries.count, stop < end {
            start = stop
            while index < chunk.entries.count, start < end, !self.gets(index, of: chunk, onlyMessages) {
                start = chunk.end(ofEntry: index, self.wireFormat)
                index += 1
            }
            stop = start
            while index < chunk.entries.count, stop < end, self.gets(index, of: chunk, onlyMessages) {
                stop = chunk.end(ofEntry: index, self.wireFormat)
                index += 1
                if self.wireFormat.writesEntriesOneByOne, stop > start { break }
            }
        }
        return start..<min(stop, max(start, end))
    }

    private func gets(_ entry: Int, of chunk: Chunk, _ onlyMessages: Bool) -> Bool {
        if onlyMessages, self.wireFormat.hasControlFrames { return chunk.entries[entry].seq > 0 }
        return chunk.audience(of: entry).includes(self.connection.ref, asks: self.asksPresence)
    }
}
