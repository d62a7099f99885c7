import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A subscriber whose cursor is not in the window any more: the window has moved past it, or the room has another log.
extension Subscriber {
    /// The window has moved past the cursor: the owner says where to go on.
    func resync() {
        if let end = self.endChunk {
            // who has left has no place to go on
            self.cursor = Cursor(chunk: end, offset: 0)
            return
        }
        self.isShortOfLog = false
        self.state = .resyncing
        self.askRoom()
        self.repeatRenewal()
    }

    /// The room has no log at this moment: it is asked, and opens it again. A history goes on then, as
    /// `history_message` frames: for its member they lie before the answer to the subscribe.
    func logIsLost(to replay: StoreReplay) {
        guard replay.numbering != nil, self.endChunk == nil else { return self.resync() }
        var replay = replay
        replay.isReading = false
        replay.awaitsLog = true
        self.state = .reading(replay)
        self.askRoom()
    }

    /// The room has opened its log again, and it is the same one.
    func logIsOpen(to replay: StoreReplay) {
        var replay = replay
        replay.awaitsLog = false
        self.state = .reading(replay)
        self.deliver()
    }

    /// It waits for the room's answer.
    var asksRoom: Bool {
        switch self.state {
        case .resyncing: true
        case .reading(let replay): replay.awaitsLog
        case .held, .live, .replaying: false
        }
    }

    private func askRoom() {
        let identity = self.member.session.identity
        let command = JoinCommand(
            connection: self.connection.ref,
            member: identity.sender,
            clientID: identity.clientID,
            wireFormat: self.wireFormat,
            start: .resync(seq: self.lastSeq, self.overflow),
            resumes: self.member.resumption.resumes,
            // not what a subscribe asks for that is not answered yet
            asksPresence: self.asksPresence
        )
        self.member.submit(.join(command), to: self.replica.key.room)
    }

    /// The owner has said where to go on.
    ///
    /// - Returns: whether it goes on; `begin` has to follow.
    func resynced(_ admission: Admission, at start: Cursor) -> Bool {
        if admission.grant.gap?.reason == .slow, self.overflow == .disconnect, !self.wasKeptWaiting {
            self.disconnectSlowConsumer()
            return false
        }
        self.cursor = start
        self.state = .held(admission)
        return true
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
}
