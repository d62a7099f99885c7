import NIOCore
package import RoomCore
package import RoomModel

/// The shard as the holder of sessions: resume tokens, grace periods and every other deadline.
extension RoomShard {
    func issueToken(to connection: Connection, for identity: Identity, resumes: UInt32) -> String {
        let (high, low) = (self.context.entropy.next(), self.context.entropy.next())
        let token =
            if !self.environment.ordering.isShared {
                ResumeToken.make(shard: self.index, high, low)
            } else {
                ResumeToken.make(
                    shard: self.index,
                    high,
                    low,
                    node: self.environment.node,
                    of: identity.clientID,
                    resumes: resumes,
                    in: identity.channel,
                    now: self.unixSeconds
                )
            }
        self.sessions.issue(token, to: connection.ref.number)
        return token
    }

    /// Asks the shard, or the node, that gave the token for the session; the connection gets it, or `nil`.
    func resume(_ token: String, in channel: RoomChannel, for connection: Connection) {
        let (home, number, id) = (self.ref, connection.ref.number, channel.id)
        if let sessions = self.environment.ordering.sessions, let node = ResumeToken.node(of: token),
            node != self.environment.node
        {
            sessions.takeOver(token, in: id, of: node) { elsewhere in
                home.post { shard in
                    let session = shard.session(elsewhere, of: token, from: node, in: id)
                    shard.resumeAnswered(session, connection: number)
                }
            }
            return
        }
        Self.takeOver(token, in: id, among: self.peers) { session in
            home.post { $0.resumeAnswered(session, connection: number) }
        }
    }

    /// Asks the one of a broker's shards that gave the token for its session.
    ///
    /// - Parameter give: called once: with `nil` where the token is used, unknown, too late or of another channel.
    package static func takeOver(
        _ token: String,
        in channel: ChannelID,
        among shards: [ShardRef],
        give: @escaping @Sendable (ResumedSession?) -> Void
    ) {
        guard let holder = ResumeToken.shard(of: token, count: shards.count) else { return give(nil) }
        shards[holder].post { shard in
            shard.takeOver(token, channel: channel) { session in
                // the rooms hear that the old connection lingers before they can hear anything of the new one
                shard.flushOutbox()
                give(session)
            }
        }
    }

    /// The session that another node had. Where that node is gone nobody but the client knows of it, by its token, and its rooms
    /// have it linger.
    private func session(
        _ elsewhere: SessionElsewhere,
        of token: String,
        from node: NodeNumber,
        in channel: ChannelID
    ) -> ResumedSession? {
        switch elsewhere {
        case .none: return nil
        case .session(let session): return session
        case .silent(let time):
            guard let channel = self.channels[channel], let sessions = self.environment.ordering.sessions,
                time <= channel.settings.grace + NodeNumber.longestSilence,
                let proven = ResumeToken.proven(token, in: channel, now: self.unixSeconds),
                sessions.claim(proven.client, resumes: proven.resumes, of: node)
            else { return nil }
            return ResumedSession(
                channel: channel.id,
                clientID: proven.client,
                clientData: nil,
                resumes: proven.resumes,
                rooms: []
            )
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

    /// Gives the session of the token, which nobody else gets any more. It can still be ended while not all of its rooms
    /// have been told that it lingers.
    private func takeOver(_ token: String, channel: ChannelID, give: @escaping (ResumedSession?) -> Void) {
        if case .connection(let number) = self.sessions.holder(of: token) { self.connections[number]?.replaced() }
        guard case .lingering(let session) = self.sessions.holder(of: token) else {
            self.sessions.forget(token)
            return give(nil)
        }
        if let departure = self.sessions.departure(of: session.id) {
            return departure.whenDone { [self] in self.takeOver(token, channel: channel, give: give) }
        }
        self.sessions.forget(token)
        if session.channel == channel { return give(session) }
        self.leave(session)
        give(nil)
    }

    /// The session ends for good: what still lingers for it is left.
    func leave(_ session: ResumedSession) {
        if let departure = self.sessions.departure(of: session.id) {
            // a room that hears first that the grace is over would keep the member
            return departure.whenDone { [self] in self.leave(session) }
        }
        guard let channel = self.channels[session.channel] else { return }
        let group = WorkGroup(user: session.user, in: session.channel, from: session.address)
        let share = WorkShare(credit: 0)
        self.submit(.graceEnded(session.clientID), to: session.rooms, in: channel, sharing: group, share: share)
    }

    /// The connection of a session is gone.
    ///
    /// - Parameter departure: tells its rooms so.
    func linger(_ session: ResumedSession, token: String, for grace: Duration, after departure: LongWork) {
        let id = session.id
        self.sessions.departs(id, departure)
        departure.whenDone { [self] in self.sessions.departed(id, departure) }
        if self.isBanned(session) {
            // gone before a ban that is new had its turn to disconnect it
            self.sessions.forget(token)
            return self.leave(session)
        }
        for ended in self.sessions.linger(token, session) { self.leave(ended) }
        if self.sessions.isLingering(token) { self.setDeadline(.grace(token: token), in: TimeAmount(grace)) }
    }

    /// From its handshake on a connection is one of its channel's.
    func entered(_ member: Member) {
        self.connections.entered(member.connection.ref.number, as: member.clientID, in: member.channel.id)
        if member.session.identity.user != nil { self.flows.joined(member.connection) }
        self.noteSanctioned(member)
    }

    /// The session of a connection has ended.
    func left(_ member: Member) {
        let (number, channel) = (member.connection.ref.number, member.channel.id)
        self.connections.left(number, as: member.clientID, in: channel)
        self.context.sanctions.forget(number, in: channel)
    }

    /// So much is left in a connection's reply lane after a write. Beyond the total the connection with most goes: it is
    /// the one that reads least of what it asks for.
    func repliesLeft(_ connection: Connection, _ unread: Int) {
        let number = connection.ref.number
        guard self.connections[number] != nil else { return }
        self.connections.unread.set(unread, of: number)
        while let largest = self.connections.unread.largest(above: self.limits.unreadTotal / self.peers.count) {
            self.connections.unread.set(0, of: largest)
            self.connections[largest]?.dropReplies()
        }
    }

    /// So much is held of what a client has sent, because it is no whole line yet, or waits to be handled. Beyond the total
    /// the connection with most goes.
    func inputHeld(_ connection: Connection, _ bytes: Int) {
        let number = connection.ref.number
        guard self.connections[number] != nil else { return }
        self.connections.input.set(bytes, of: number)
        // one line has room in any case, with what was read behind it
        let limit = max(self.limits.inputTotal / self.peers.count, 2 * self.limits.frame.line)
        while let largest = self.connections.input.largest(above: limit) {
            self.connections.input.set(0, of: largest)
            self.connections[largest]?.dropInput()
        }
    }

    func forget(_ connection: Connection, _ reason: EndReason) {
        guard self.connections.remove(connection.ref.number) else { return }
        self.tally.closed(connection.wireFormat, reason)
        self.environment.observer?.closed(connection.ref)
    }

    /// Whether a deadline still means something.
    func isPending(_ kind: Deadlines.Kind) -> Bool {
        switch kind {
        case .handshake(let number), .silence(let number): self.connections[number]?.awaitsHandshake ?? false
        case .heartbeat(let number), .close(let number), .lingering(let number), .token(let number):
            self.connections[number] != nil
        case .grace(let token): self.sessions.isLingering(token)
        case .sanctions(let channel): self.context.sanctions.hasTimer(for: channel)
        }
    }

    func deadlinePassed(_ kind: Deadlines.Kind) {
        switch kind {
        case .handshake(let number): self.connections[number]?.handshakeTimedOut()
        case .silence(let number): self.connections[number]?.onEvent?(.silent)
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

    /// Closes what is left after the drain, without a word: nobody is left to wait.
    package func closeAll() {
        for number in self.connections.numbers {
            guard let connection = self.connections[number] else { continue }
            connection.ends(by: .code(.shuttingDown))
            connection.writer.abort()
        }
    }

    /// Says goodbye to all connections, each with a time of its own to come back, so that they do not all come at once.
    package func drain(spreadMilliseconds: Int) {
        self.context.isDraining = true
        self.forEach(self.connections.numbers[...], by: 64) { connection in
            let wait = Int(connection.shard.context.entropy.next() % UInt64(max(1, spreadMilliseconds)))
            connection.drain(retryAfterMilliseconds: wait)
        } done: { _ in
        }
    }
}
