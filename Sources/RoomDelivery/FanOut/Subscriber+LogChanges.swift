import NIOCore
import RoomCore
import RoomModel

/// A subscriber of a room whose log has ended, has begun anew, or goes on further than it did.
extension Subscriber {
    /// Whether it knows of all that has happened to the log.
    var isUpToDate: Bool { self.changesTaken == self.replica.changes.count }

    /// The epoch that its `lastSeq` is of.
    var epoch: Epoch { self.replica.changes[self.changesTaken]?.epochs.before ?? self.replica.epoch }

    /// Takes in what has happened to the log, in that order: before all that came later.
    ///
    /// - Parameter most: how many writes to make at once.
    /// - Returns: whether that is all; the rest follows when the connection is flushed.
    @discardableResult
    func takeChanges(atOnce most: Int = writesAtOnce) -> Bool {
        guard !self.isUpToDate else { return true }
        while let change = self.replica.changes[self.changesTaken] {
            let number = self.changesTaken
            if case .ended(let window) = change.event, !self.deliverRest(of: window, atOnce: most) { return false }
            // what was delivered may have had the others taken in, too
            guard self.changesTaken == number else { continue }
            // until it is told of the next log, it gets nothing of that one
            if case .ended = change.event, self.replica.changes[number + 1] == nil { return false }
            self.changesTaken += 1
            if self.isUpToDate { self.replica.isUpToDate(self) }
            switch change.event {
            case .ended: break
            case .cleared(let cleared, let head): self.goOn(after: 0, at: head, isCleared: true, cleared.epoch, change)
            case .restarted(let seq, let head):
                self.goOn(after: seq, at: head, isCleared: false, change.epochs.after, change)
            case .goesOn(let seq): self.logGoesOn(through: seq)
            }
        }
        return true
    }

    /// The log has ended: what its window still has comes before what ends it, as far as the socket takes it now.
    ///
    /// - Returns: false where the others have their turn first.
    private func deliverRest(of window: ChunkWindow, atOnce most: Int) -> Bool {
        guard self.writer.flush() else { return true }
        let reached: Reached
        switch self.state {
        case .held, .reading, .resyncing: return true
        case .live: reached = self.deliverLive(from: window, atOnce: most)
        case .replaying(let end): reached = self.deliverReplay(from: window, until: end, atOnce: most)
        }
        return reached != .part || self.writer.isBlocked || !self.writer.isOpen
    }

    /// The log is another one: nothing of it was missed, all of the old one is gone. The list of members is behind `head`.
    private func goOn(after seq: UInt64, at head: Cursor, isCleared: Bool, _ epoch: Epoch, _ change: LogChange) {
        self.lastSeq = seq
        self.completeAfter = seq
        self.cursor = head
        self.repeatRenewal()
        if case .held(var admission) = self.state, !admission.join.isResync {
            if self.isAnswered, self.heldReply == nil {
                // the answer was of the log before
                self.tell(change, isCleared: isCleared)
                admission.grant = JoinGrant(epoch: epoch, seq: seq)
            } else {
                if admission.isRenewal, isCleared { self.tell(change, isCleared: true) }
                admission.grant = Self.grant(admission.grant, after: seq, isCleared: isCleared, epoch)
            }
            admission.snapshot = nil
            self.state = .held(admission)
            return
        }
        self.state = .live
        self.member.owesDelivery = true
        self.tell(change, isCleared: isCleared)
        self.shard.enqueue(self.connection)
    }

    private func tell(_ change: LogChange, isCleared: Bool) {
        if !isCleared { self.shard.tally.told(.epoch) }
        guard self.wireFormat.hasControlFrames else { return }
        self.connection.reply(encoded: change.frame)
        self.connection.marks(change.epochs.after, self.lastSeq)
    }

    /// The grant, in the new log, of a subscribe that is not answered yet.
    private static func grant(_ old: JoinGrant, after seq: UInt64, isCleared: Bool, _ epoch: Epoch) -> JoinGrant {
        let recovered = old.recovered.map { _ in false }
        if isCleared {
            let gap = Gap(from: 1, through: 0, reason: .cleared)
            return JoinGrant(epoch: epoch, seq: 0, recovered: recovered, gap: recovered == nil ? nil : gap)
        }
        return JoinGrant(
            epoch: epoch,
            seq: seq,
            recovered: recovered,
            gap: Gap(from: 1, through: seq, reason: .epoch)
        )
    }

    /// The log goes on further: what it has beyond the member's position is replayed.
    private func logGoesOn(through seq: UInt64) {
        self.repeatRenewal()
        switch self.state {
        case .live, .replaying:
            self.resync()
        case .reading(var replay) where replay.numbering == nil:
            replay.through = seq
            self.state = .reading(replay)
        case .held, .reading: self.isShortOfLog = true
        // the answer is of the log as it is now, or the next chunk shows what it has missed
        case .resyncing: return
        }
    }
}
