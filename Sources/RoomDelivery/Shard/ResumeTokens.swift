import RoomCore
import RoomModel

/// The sessions of a shard that can be resumed, by token: those of living connections, and those in their grace period.
/// A token is used once.
struct ResumeTokens {
    enum Holder {
        case connection(UInt64)
        case lingering(ResumedSession)
    }

    private var connections: [String: UInt64] = [:]
    private var lingering: LingeringSessions

    /// - Parameter limit: of the entries of those that linger.
    init(limit: Int) {
        self.lingering = LingeringSessions(limit: limit)
    }

    var lingeringEntries: Int { self.lingering.entries }

    /// As `LingeringSessions.limit`.
    mutating func limitLingering(to entries: Int) -> [ResumedSession] { self.lingering.limit(to: entries) }

    mutating func issue(_ token: String, to connection: UInt64) {
        self.connections[token] = connection
    }

    /// The connection is gone; its session can be resumed for a while.
    ///
    /// - Returns: the sessions that end for it.
    mutating func linger(_ token: String, _ session: ResumedSession) -> [ResumedSession] {
        self.connections.removeValue(forKey: token)
        return self.lingering.add(session, token: token)
    }

    /// The holder of the token's session; the token stays.
    func holder(of token: String) -> Holder? {
        self.connections[token].map { .connection($0) } ?? self.lingering.session(of: token).map { .lingering($0) }
    }

    mutating func take(_ token: String) -> Holder? {
        self.connections.removeValue(forKey: token).map { .connection($0) } ?? self.expire(token).map { .lingering($0) }
    }

    /// The session whose grace period is over, unless it has been resumed.
    mutating func expire(_ token: String) -> ResumedSession? { self.lingering.remove(token) }

    /// Takes out the session of this client, if it lingers.
    mutating func end(_ client: ClientID, in channel: ChannelID) -> ResumedSession? {
        self.lingering.remove(SessionID(channel: channel, client: client))
    }

    /// For a look at all sessions that linger.
    var sweep: LingeringSessions.Sweep { self.lingering.sweep }

    /// As `LingeringSessions.removeSome`.
    mutating func endSome(
        of sweep: inout LingeringSessions.Sweep,
        _ count: Int,
        where isToEnd: (ResumedSession) -> Bool
    ) -> [ResumedSession] {
        self.lingering.removeSome(of: &sweep, count, where: isToEnd)
    }

    func isLingering(_ token: String) -> Bool { self.lingering.contains(token) }
}
