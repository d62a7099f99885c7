import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The acts of moderators, as they reach one event loop.
extension RoomShard {
    /// Connections that are looked at, and those that are written to, before the loop has its turn again.
    private static let searched = 256
    private static let written = 64

    // MARK: Bans and mutes

    func activeSanctions(of person: SanctionedPerson, in channel: ChannelID) -> ActiveSanctions {
        self.context.activeSanctions(of: person, in: channel)
    }

    /// Bans, mutes and rules are others from now on.
    ///
    /// - Parameters:
    ///   - change: the people that it can concern.
    ///   - rooms: whose rules have changed.
    ///   - done: called when all who are concerned have been told.
    func moderationChanged(
        _ moderation: ChannelModeration,
        in channel: ChannelID,
        _ change: SanctionChange,
        rooms: Set<RoomName>,
        done: @escaping @Sendable () -> Void
    ) {
        // benign race: the channel is gone
        guard self.channels[channel] != nil else { return done() }
        self.context.sanctions.set(moderation, in: channel)
        for room in rooms.sorted(by: { $0.text < $1.text }) {
            self.owner.sequencer.rulesChanged(moderation.rules(of: room), of: RoomKey(channel: channel, room: room))
        }
        let numbers = self.numbers(concernedBy: change, in: channel)
        self.endLingering(if: change.bans) { shard, session in
            session.channel == channel && change.concerns(session.person) && shard.isBanned(session)
        } done: { shard in
            shard.forEach(numbers[...], by: Self.searched) { connection in
                if let member = connection.member, change.concerns(member) { member.reviewSanctions() }
            } done: { shard in
                shard.flushOutbox()
                done()
            }
        }
    }

    /// Sessions that linger are over if this holds of them: some at a time.
    func endLingering(
        if mayHold: Bool = true,
        where isToEnd: @escaping @Sendable (RoomShard, ResumedSession) -> Bool,
        done: @escaping @Sendable (RoomShard) -> Void
    ) {
        if mayHold { self.endLingering(in: self.sessions.sweep, where: isToEnd, done: done) } else { done(self) }
    }

    private func endLingering(
        in sweep: LingeringSessions.Sweep,
        where isToEnd: @escaping @Sendable (RoomShard, ResumedSession) -> Bool,
        done: @escaping @Sendable (RoomShard) -> Void
    ) {
        var sweep = sweep
        for session in self.sessions.endSome(of: &sweep, Self.searched, where: { isToEnd(self, $0) }) {
            self.leave(session)
        }
        if sweep.isDone { return done(self) }
        self.afterIO { [sweep] in $0.endLingering(in: sweep, where: isToEnd, done: done) }
    }

    private func numbers(concernedBy change: SanctionChange, in channel: ChannelID) -> [UInt64] {
        if change.needsSearch { return self.connections.numbers(in: channel) }
        let named = self.connections.numbers(of: change.clients, in: channel)
        return change.lifts ? Array(self.context.sanctions.numbers(in: channel).union(named)) : named
    }

    /// Whether a session that nobody is connected to has to end.
    func isBanned(_ session: ResumedSession) -> Bool {
        self.context.sanctions.isBanned(session, now: self.environment.clock())
    }

    /// Remembers that a sanction holds for a member, and when it ends.
    func noteSanctioned(_ member: Member) {
        let (number, channel) = (member.connection.ref.number, member.channel.id)
        guard member.session.isSanctioned else { return self.context.sanctions.forget(number, in: channel) }
        let wait = self.context.sanctions.add(
            number,
            in: channel,
            until: member.session.activeSanctions.nextEnd,
            clock: self.environment.clock(),
            now: self.now
        )
        if let wait { self.setDeadline(.sanctions(channel), in: wait) }
    }

    func sanctionTimerFired(_ channel: ChannelID) {
        guard let numbers = self.context.sanctions.timerFired(for: channel, now: self.now) else { return }
        self.forEach(numbers[...], by: Self.written) { connection in
            connection.member?.reviewSanctions()
        } done: { shard in
            shard.flushOutbox()
        }
    }

    // MARK: Sessions that end

    /// A client that resumes the session of this member gets a new one, until `revocationEnded` also if it is on its way.
    ///
    /// - Returns: whether it was in its grace period, which is over now.
    @discardableResult
    func revoke(_ client: ClientID, in channel: ChannelID) -> Bool {
        self.connections.connection(of: client, in: channel)?.member?.forgetToken()
        defer { self.flushOutbox() }
        guard let ended = self.sessions.revoke(client, in: channel) else { return false }
        self.leave(ended)
        return true
    }

    /// - Returns: whether the session was on its way to this shard.
    func revocationEnded(_ client: ClientID, in channel: ChannelID) -> Bool {
        self.sessions.revocationEnded(client, in: channel)
    }

    /// Whether a session that arrives to be resumed has to end instead.
    func mustEnd(_ session: ResumedSession) -> Bool {
        self.sessions.isRevoked(session) || self.isBanned(session)
    }

    /// As `revoke`, and the member is disconnected.
    ///
    /// - Returns: whether it was here.
    func expel(_ client: ClientID, from channel: ChannelID, reason: String?) -> Bool {
        let hasLingered = self.revoke(client, in: channel)
        guard let connection = self.connections.connection(of: client, in: channel) else { return hasLingered }
        let error = MemberRemoval.expulsion(reason: reason)
        connection.expel(error.code, reason: error.text)
        self.flushOutbox()
        return true
    }

    /// The clients that are connected here and whose token names the user.
    func clients(of user: String, in channel: ChannelID, done: @escaping @Sendable (Set<ClientID>) -> Void) {
        let clients = NIOLoopBoundBox(Set<ClientID>(), eventLoop: self.context.eventLoop)
        self.forEach(self.connections.numbers(in: channel)[...], by: Self.searched) { connection in
            guard let person = connection.member?.session.person(address: nil), let client = person.client,
                person.user?.utf8.elementsEqual(user.utf8) ?? false
            else { return }
            clients.value.insert(client)
        } done: { _ in
            done(clients.value)
        }
    }

    // MARK: Notices

    /// Tells all who are connected to the channel here.
    ///
    /// - Parameter done: is called with how many they are.
    func notify(_ notice: Notice, in channel: ChannelID, stamp: Stamp, done: @escaping @Sendable (Int) -> Void) {
        let numbers = self.connections.numbers(in: channel)
        let reached = NIOLoopBoundBox(0, eventLoop: self.context.eventLoop)
        self.forEach(numbers[...], by: Self.written) { connection in
            guard let member = connection.member, member.session.lackOfToken == nil else { return }
            connection.tell(.notice(notice, nil), stamp: stamp)
            reached.value += 1
        } done: { _ in
            done(reached.value)
        }
    }
}

extension SanctionChange {
    fileprivate func concerns(_ member: Member) -> Bool {
        if self.lifts, member.session.isSanctioned { return true }
        return !self.needsSearch || self.concerns(member.session.person(address: member.connection.address))
    }
}
