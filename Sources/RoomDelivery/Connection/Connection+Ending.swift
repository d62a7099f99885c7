package import NIOCore
import RoomCore
package import RoomModel
import RoomWire

/// The end of a connection, as `ConnectionLifecycle` has it go.
extension Connection {
    /// The peer will send nothing more: what it asked is answered, then its rooms are left, then it is closed.
    package func inputEnded() {
        self.ends(by: .clientClosed)
        if self.lifecycle.inputEnded() {
            self.shard.setDeadline(.close(connection: self.ref.number), in: .seconds(30))
        }
        self.finishIfDone()
    }

    /// Reads nothing more, answers what was read, and says goodbye.
    func drain(retryAfterMilliseconds wait: Int) {
        guard self.lifecycle.drain(retryAfterMilliseconds: wait) else { return }
        // the rest of a subscribe or an unsubscribe would be dropped with what it sent behind it
        _ = self.member?.askRooms { true }
        _ = self.member?.leaveRooms(inOrder: false) { true }
        self.onEvent?(.ended)
        self.finishIfDone()
    }

    func finishIfDone() {
        guard self.lifecycle.isEnding else { return }
        switch self.lifecycle.next(self.progress) {
        case .wait: return
        case .sayGoodbye(let wait):
            self.goodbye(.shuttingDown, reason: "the broker is shutting down", retryAfterMilliseconds: wait)
        case .leaveRooms:
            self.member?.leaveInOrder()
            self.finishIfDone()
        case .close: self.close()
        case .endOutput(let andInput):
            guard self.writer.flush() else { return }
            if self.closing == .awaited, !andInput { return }
            // behind a Close its peer may send more, which is to be read off
            self.writer.endOutput(andInput: andInput && self.wireFormat != .webSocket)
            // a client that leaves its socket open, as nc does, does not hold up the end of the broker
            if self.shard.isDraining { self.shard.setDeadline(.close(connection: self.ref.number), in: .seconds(1)) }
        }
    }

    private var progress: ConnectionLifecycle.Progress {
        switch self.state {
        case .handshaking(let handshake):
            .init(isSettled: !handshake.isResuming, isCaughtUp: true, hasSubscribers: false)
        case .open(let member): member.progress
        case .ended: .init(isSettled: true, isCaughtUp: true, hasSubscribers: false)
        }
    }

    /// Ends the session: a `goodbye`, then the connection is closed as soon as it is written.
    package func goodbye(_ code: Code, reason: String, retryAfterMilliseconds: Int? = nil) {
        guard self.lifecycle.beginClosing() else { return }
        self.shard.tally.saidGoodbye(code)
        self.ends(by: .code(code), reason)
        if let wait = retryAfterMilliseconds { self.asksToWait(milliseconds: wait) }
        self.tell(reason) { $0.frame(Goodbye(code, reason: reason, retryAfterMilliseconds: retryAfterMilliseconds)) }
        self.writeClose(after: code, reason: reason)
        self.writer.endReplies()
        self.endConnection(code)
    }

    /// The session ends by this code, and the connection when all is written.
    func endConnection(_ code: Code) {
        if !code.reconnects { self.member?.forgetToken() }
        self.endSession(.code(code))
        self.closeWhenWritten()
    }

    /// The peer does not read, and its replies take what others need.
    func dropReplies() {
        self.writer.dropReplies()
        self.goodbye(
            .slowConsumer,
            reason: "this client does not read its replies, and too many replies are unread; read them in time"
        )
    }

    /// The broker holds too much of what clients have sent in part, and most of it is this one's.
    func dropInput() {
        if self.wireFormat == .events {
            self.goodbye(
                .slowConsumer,
                reason: "too many posts wait, and most of them are for this session; read its replies in time"
            )
            return
        }
        self.goodbye(
            .lineTooLong,
            reason: "the broker holds too many unfinished lines, and the longest is yours; send each in one piece"
        )
    }

    /// Ends a connection that speaks another protocol, or cannot have what it asked for in HTTP, with an answer in kind.
    package func end(with answer: ByteBuffer, code: Code, reason: String) {
        self.ends(by: .code(code), reason)
        self.writer.raw { $0.writeImmutableBuffer(answer) }
        self.endSession(.code(code))
        self.close()
    }

    private func close() {
        self.answerClose()
        _ = self.lifecycle.beginClosing()
        self.closeWhenWritten()
    }

    private func closeWhenWritten() {
        self.onEvent?(.ended)
        self.shard.setDeadline(.close(connection: self.ref.number), in: .seconds(5))
        self.shard.enqueue(self)
    }

    func closeTimedOut() {
        if self.lifecycle.mustAbort { self.writer.abort() }
    }

    /// The socket has failed: the channel is closed next.
    package func failed(errorNumber: CInt) {
        // a write may have failed first, and its error was the whole one
        let reason = self.writer.failure ?? EndReason(errorNumber: errorNumber, of: self.writer.channel)
        self.ends(by: reason)
    }

    /// Remembers the first cause, and tells those who watch.
    package func ends(by reason: EndReason, _ text: String? = nil) {
        guard self.endReason == nil else { return }
        self.endReason = reason
        self.shard.environment.observer?.ended(self.ref, by: reason, text ?? self.text(of: reason), as: self.party)
    }

    /// The text for an end of which the broker has told nobody.
    private func text(of reason: EndReason) -> String {
        switch reason {
        case .code(.slowConsumer): "the client read nothing for so long that the system ended the connection"
        case .code(.shuttingDown): "the broker had no time left to end the connection in order"
        case .code: "the broker ended the connection"
        case .clientClosed: "the client closed the connection"
        case .connectionReset: "the connection broke off"
        case .connectionTimedOut: "the client's system did not answer"
        case .tlsFailed: "there is no TLS with the client"
        }
    }

    private var party: ConnectionParty {
        ConnectionParty(address: self.address, client: self.member?.clientID, channel: self.member?.channel.id)
    }

    /// The channel is gone.
    package func closed() {
        let reason = self.endReason ?? self.writer.failure ?? .connectionReset
        self.ends(by: reason)
        self.shard.flows.ended(self)
        self.lifecycle.closed()
        self.writer.closed()
        self.channelSlot.release()
        self.endSession(reason)
        self.shard.forget(self, reason)
        self.onEvent = nil
    }

    /// Leaves all rooms, or lets them linger where the session can be resumed.
    ///
    private func endSession(_ reason: EndReason) {
        let member = self.member
        self.state = .ended
        member?.end(reason)
    }

    /// Ends the session for good: a goodbye, no grace, and nothing to resume.
    func expel(_ code: Code, reason: String) {
        self.member?.forgetToken()
        self.goodbye(code, reason: reason)
        // where it was closing already, it has had its last word
        self.endSession(.code(code))
    }

    /// Another connection resumes the session: its rooms linger for that one, and this one gets a goodbye.
    func replaced() {
        guard let member else { return }
        let reason = "this session was resumed on another connection"
        self.ends(by: .code(.replaced), reason)
        self.channelSlot.release()
        self.state = .ended
        member.end(.code(.replaced))
        self.goodbye(.replaced, reason: reason)
    }

    /// The rooms of a resumed session were not subscribed again in time.
    func lingeringTimedOut() {
        // on its way out it leaves them behind for the next resume
        if !self.lifecycle.isEnding { self.member?.leaveLingeringRooms() }
    }
}
