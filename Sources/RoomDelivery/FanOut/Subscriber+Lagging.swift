import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A subscriber whose cursor is not in the window any more: the window has moved past it, or the room has another log.
extension Subscriber {
    /// The window has moved past the cursor: the owner says where to go on.
    func resync() {
        self.state = .resyncing
        let identity = self.member.session.identity
        let command = JoinCommand(
            connection: self.connection.ref,
            member: identity.sender,
            clientID: identity.clientID,
            wireFormat: self.wireFormat,
            start: .resync(seq: self.lastSeq, self.overflow)
        )
        self.member.submit(.join(command), to: self.replica.key.room)
        self.repeatRenewal()
    }

    func resynced(_ admission: Admission, at start: Cursor) {
        if admission.grant.gap?.reason == .slow, self.overflow == .disconnect {
            self.disconnectSlowConsumer()
            return
        }
        self.begin(admission, at: start)
    }

    /// Disconnects a member that reads too slowly in a room without a log: the messages that it still needs have left the
    /// window, and no store has them.
    func disconnectIfUnrecoverable() {
        guard self.isLive, self.overflow == .disconnect, self.replica.log == nil,
            self.cursor.chunk < self.replica.window.start
        else { return }
        self.disconnectSlowConsumer()
    }

    private func disconnectSlowConsumer() {
        self.connection.goodbye(
            .slowConsumer,
            reason: "this client read too slowly; subscribe with \"overflow\" to skip messages instead"
        )
    }

    /// The log was opened again and is another one: nothing of it was missed, all of the old one is gone. The list of
    /// members is behind `head`.
    func logRestarted(after seq: UInt64, head: Cursor) {
        let replica = self.replica
        let gap = Gap(from: 1, through: seq, reason: .epoch)
        self.lastSeq = seq
        self.completeAfter = seq
        self.cursor = head
        self.repeatRenewal()
        if case .held(var admission) = self.state {
            admission.grant = JoinGrant(
                epoch: replica.epoch,
                seq: seq,
                recovered: admission.grant.recovered.map { _ in false },
                gap: gap
            )
            admission.snapshot = nil
            self.state = .held(admission)
            return
        }
        self.state = .live
        self.tell(gap, replica.key.room, replica.epoch)
        self.member.owesDelivery = true
    }

    /// The room was cleared: it begins anew at `head`, where the list of members is.
    func roomCleared(_ cleared: RoomCleared, head: Cursor) {
        self.lastSeq = 0
        self.completeAfter = 0
        self.cursor = head
        self.repeatRenewal()
        if case .held(var admission) = self.state {
            if admission.isRenewal { self.tell(cleared) }
            let hasPosition = admission.grant.recovered != nil
            admission.grant = JoinGrant(
                epoch: self.replica.epoch,
                seq: 0,
                recovered: hasPosition ? false : nil,
                gap: hasPosition ? Gap(from: 1, through: 0, reason: .cleared) : nil
            )
            admission.snapshot = nil
            self.state = .held(admission)
            return
        }
        self.state = .live
        self.member.owesDelivery = true
        self.tell(cleared)
        self.shard.enqueue(self.connection)
    }

    private func tell(_ cleared: RoomCleared) {
        guard self.wireFormat.hasControlFrames else { return }
        let room = self.replica.key.room
        self.connection.reply(stamp: cleared.stamp) { $0.roomCleared(room, epoch: cleared.epoch) }
    }

    /// The log was opened again and goes on further: what it has beyond the member's position is replayed.
    func logGoesOn(through seq: UInt64) {
        switch self.state {
        case .live, .replaying:
            self.resync()
        case .reading(var replay) where replay.numbering == nil:
            replay.through = seq
            self.state = .reading(replay)
        case .held, .reading, .resyncing:
            // the next chunk shows what it has missed
            return
        }
    }
}
