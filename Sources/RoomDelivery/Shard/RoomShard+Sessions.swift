import NIOCore
import RoomCore
import RoomModel

/// The shard as the holder of sessions: resume tokens, grace periods and every other deadline.
extension RoomShard {
    func issueToken(to connection: Connection) -> String {
        let token = ResumeTokens.make(shard: self.index, self.context.entropy.next(), self.context.entropy.next())
        self.sessions.issue(token, to: connection.ref.number)
        return token
    }

    /// Asks the shard that gave the token for the session; the connection gets it, or `nil`.
    func resume(_ token: String, in channel: RoomChannel, for connection: Connection) {
        let (home, number) = (self.ref, connection.ref.number)
        guard let holder = ResumeTokens.shard(of: token, count: self.peers.count) else {
            self.resumeAnswered(nil, connection: number)
            return
        }
        let id = channel.id
        self.peers[holder].post { shard in
            let session = shard.takeOver(token, channel: id)
            // the rooms hear that the old connection lingers before they can hear anything of the new one
            shard.flushOutbox()
            home.post { shard in shard.resumeAnswered(session, connection: number) }
        }
    }

    private func resumeAnswered(_ session: ResumedSession?, connection number: UInt64) {
        guard let connection = self.connections[number] else {
            // the new connection is gone before it had the session: its rooms are left
            if let session { self.leave(session) }
            return
        }
        if let session, self.mustEnd(session) {
            self.leave(session)
            connection.resumeAnswered(nil)
        } else {
            connection.resumeAnswered(session)
        }
    }

    private func takeOver(_ token: String, channel: ChannelID) -> ResumedSession? {
        let session: ResumedSession?
        switch self.sessions.take(token) {
        case .connection(let number): session = self.connections[number]?.replaced()
        case .lingering(let lingering): session = lingering
        case .none: session = nil
        }
        if let session, session.channel != channel {
            self.leave(session)
            return nil
        }
        return session
    }

    /// The session ends for good: what still lingers for it is left.
    func leave(_ session: ResumedSession) {
        guard let channel = self.channels[session.channel] else { return }
        for room in session.rooms { self.submit(.graceEnded(session.clientID), to: room, in: channel) }
    }

    func linger(_ session: ResumedSession, token: String, for grace: Duration) {
        if self.isBanned(session) {
            // gone before a ban that is new had its turn to disconnect it
            self.sessions.forget(token)
            return self.leave(session)
        }
        self.sessions.linger(token, session)
        self.setDeadline(.grace(token: token), in: TimeAmount(grace))
    }

    /// From its handshake on a connection is one of its channel's.
    func entered(_ member: Member) {
        self.connections.entered(member.connection.ref.number, as: member.clientID, in: member.channel.id)
        self.noteSanctioned(member)
    }

    /// The session of a connection has ended.
    func left(_ member: Member) {
        let (number, channel) = (member.connection.ref.number, member.channel.id)
        self.connections.left(number, as: member.clientID, in: channel)
        self.context.sanctions.forget(number, in: channel)
    }

    func forget(_ connection: Connection) {
        guard self.connections.remove(connection.ref.number) else { return }
        self.tally.closed(connection.wireFormat)
        self.environment.observer?.closed(connection.ref)
    }

    /// Whether a deadline still means something.
    func isPending(_ kind: Deadlines.Kind) -> Bool {
        switch kind {
        case .handshake(let number): self.connections[number]?.awaitsHandshake ?? false
        case .heartbeat(let number), .close(let number), .lingering(let number), .token(let number):
            self.connections[number] != nil
        case .grace(let token): self.sessions.isLingering(token)
        case .sanctions(let channel): self.context.sanctions.hasTimer(for: channel)
        }
    }

    func deadlinePassed(_ kind: Deadlines.Kind) {
        switch kind {
        case .handshake(let number): self.connections[number]?.handshakeTimedOut()
        case .heartbeat(let number): self.connections[number]?.member?.heartbeatDue()
        case .close(let number): self.connections[number]?.closeTimedOut()
        case .lingering(let number): self.connections[number]?.lingeringTimedOut()
        case .token(let number): self.connections[number]?.member?.tokenTimerFired()
        case .grace(let token):
            if let session = self.sessions.expire(token) { self.leave(session) }
        case .sanctions(let channel): self.sanctionTimerFired(channel)
        }
    }

    // MARK: Shutdown

    /// Closes what is left after the drain, without a word.
    package func closeAll() {
        for number in self.connections.numbers { self.connections[number]?.writer.abort() }
    }

    /// Says goodbye to all connections, each with a time of its own to come back, so that they do not all come at once.
    package func drain(spreadMilliseconds: Int) {
        self.context.isDraining = true
        for number in self.connections.numbers {
            let wait = Int(self.context.entropy.next() % UInt64(max(1, spreadMilliseconds)))
            self.connections[number]?.drain(retryAfterMilliseconds: wait)
        }
    }
}
