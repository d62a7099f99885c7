import NIOCore
import RoomCore
import RoomModel

/// The room's answer to a subscribe of a member that is in the room. The member gets what came before it as ever, and
/// then begins anew at this place of the log, so that nothing is lost, repeated or told in another order.
///
/// A class, since hardly any subscriber has one.
final class Renewal {
    let admission: Admission
    var cursor: Cursor

    init(_ admission: Admission, at cursor: Cursor) {
        self.admission = admission
        self.cursor = cursor
    }

    var listBytes: Int { self.admission.listBytes }

    /// How far the chunk is sent before it.
    func end(in chunk: Chunk, _ wireFormat: WireFormat) -> Int {
        chunk.number == self.cursor.chunk ? self.cursor.offset : chunk.bytes(wireFormat).writerIndex
    }

    /// Whether all that came before it is sent.
    func isDue(at cursor: Cursor) -> Bool {
        cursor.chunk > self.cursor.chunk
            || cursor.chunk == self.cursor.chunk && cursor.offset >= self.cursor.offset
    }
}

extension Subscriber {
    /// The room has answered another subscribe of the member.
    func renew(_ admission: Admission, at cursor: Cursor) {
        // what the room says of the member's place comes after this answer, and may lie beyond it
        if case .resyncing = self.state { return self.member.repeatRenewal(admission, in: self.replica.key.room) }
        self.renewal = Renewal(admission, at: cursor)
        self.deliver()
    }

    /// The member's place is another one than it was when the room answered: the room is asked once more.
    func repeatRenewal() {
        guard let renewal = self.renewal else { return }
        self.renewal = nil
        self.member.repeatRenewal(renewal.admission, in: self.replica.key.room)
    }

    /// Where all that came before is sent, the subscribe can be answered.
    ///
    /// - Returns: whether it is.
    func beginsRenewal() -> Bool {
        guard let renewal = self.renewal, renewal.isDue(at: self.cursor) else { return false }
        self.renewal = nil
        self.cursor = renewal.cursor
        self.asksPresence = renewal.admission.asksPresence
        var admission = renewal.admission
        // where it goes on if the window moves past it before the subscribe is answered
        self.lastSeq = admission.grant.seq
        admission.grant = self.withoutRepeats(admission)
        self.isAnswered = false
        self.state = .held(admission)
        self.member.renewed(self, admission.grant)
        return true
    }

    /// The grant without messages that the member was sent while it was in the room.
    private func withoutRepeats(_ admission: Admission) -> JoinGrant {
        var grant = admission.grant
        guard case .since(let position) = admission.join.start, position.epoch == grant.epoch else { return grant }
        if position.seq >= self.completeAfter, position.seq <= grant.seq {
            grant.recovered = true
            grant.gap = nil
            grant.replay = .none
        } else {
            self.completeAfter = grant.start
        }
        return grant
    }
}

extension JoinGrant {
    /// A subscriber with this grant is sent every message after this one.
    var start: UInt64 {
        switch self.replay {
        case .none: self.seq
        case .window(let after), .store(let after), .history(let after, _): after
        }
    }
}

extension Admission {
    /// The bytes that its list of members takes.
    var listBytes: Int { self.snapshot?.list.readableBytes ?? 0 }
}
