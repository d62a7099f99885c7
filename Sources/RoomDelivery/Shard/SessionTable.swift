import RoomCore
import RoomModel

/// The sessions of one shard that can be resumed, and those that may not be any more.
struct SessionTable {
    private var tokens: ResumeTokens
    private var revocations = Revocations()
    /// Sessions that linger, while not all of their rooms have been told so.
    private var departures: [SessionID: LongWork] = [:]

    /// - Parameter lingeringLimit: of sessions in their grace period and of their rooms.
    init(lingeringLimit: Int = .max) {
        self.tokens = ResumeTokens(limit: lingeringLimit)
    }

    /// Sessions in their grace period, and their rooms.
    var lingeringEntries: Int { self.tokens.lingeringEntries }

    /// From now on so many may be kept.
    ///
    /// - Returns: some of those that end for it, where there are more.
    mutating func limitLingering(to entries: Int) -> [ResumedSession] { self.tokens.limitLingering(to: entries) }

    mutating func issue(_ token: String, to connection: UInt64) {
        self.tokens.issue(token, to: connection)
    }

    /// The holder of the token's session, which can still be resumed with it.
    func holder(of token: String) -> ResumeTokens.Holder? { self.tokens.holder(of: token) }

    /// Nobody can resume the session with this token any more.
    mutating func forget(_ token: String) {
        _ = self.tokens.take(token)
    }

    /// The connection is gone; its session can be resumed for a while.
    ///
    /// - Returns: the sessions that end for it.
    mutating func linger(_ token: String, _ session: ResumedSession) -> [ResumedSession] {
        self.tokens.linger(token, session)
    }

    /// The rooms of the session are being told that it lingers.
    mutating func departs(_ session: SessionID, _ departure: LongWork) {
        self.departures[session] = departure
    }

    mutating func departed(_ session: SessionID, _ departure: LongWork) {
        if self.departures[session] === departure { self.departures[session] = nil }
    }

    /// `nil` where all rooms of the session have been told.
    func departure(of session: SessionID) -> LongWork? { self.departures[session] }

    func isLingering(_ token: String) -> Bool { self.tokens.isLingering(token) }

    /// The session whose grace period is over, unless it has been resumed.
    mutating func expire(_ token: String) -> ResumedSession? { self.tokens.expire(token) }

    /// For a look at all sessions that linger.
    var sweep: LingeringSessions.Sweep { self.tokens.sweep }

    /// As `LingeringSessions.removeSome`.
    mutating func endSome(
        of sweep: inout LingeringSessions.Sweep,
        _ count: Int,
        where isToEnd: (ResumedSession) -> Bool
    ) -> [ResumedSession] {
        self.tokens.endSome(of: &sweep, count, where: isToEnd)
    }

    /// Until `revocationEnded`, no session of this client can be resumed.
    ///
    /// - Returns: the one that lingered here, which is over now.
    mutating func revoke(_ client: ClientID, in channel: ChannelID) -> ResumedSession? {
        self.revocations.begin(client, in: channel)
        return self.tokens.end(client, in: channel)
    }

    /// - Returns: whether a session was on its way to this shard.
    mutating func revocationEnded(_ client: ClientID, in channel: ChannelID) -> Bool {
        self.revocations.end(client, in: channel)
    }

    /// Whether a session that arrives to be resumed was revoked meanwhile.
    mutating func isRevoked(_ session: ResumedSession) -> Bool {
        self.revocations.matches(session.clientID, in: session.channel)
    }
}
