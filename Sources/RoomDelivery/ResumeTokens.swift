import RoomCore
import RoomModel

/// The sessions of a shard that can be resumed, by token: those of living connections, and those in their grace period.
/// A token is used once.
struct ResumeTokens {
    enum Holder {
        case connection(UInt64)
        case lingering(ResumedSession)
    }

    private var holders: [String: Holder] = [:]

    mutating func issue(_ token: String, to connection: UInt64) {
        self.holders[token] = .connection(connection)
    }

    /// The connection is gone; its session can be resumed for a while.
    mutating func linger(_ token: String, _ session: ResumedSession) {
        self.holders[token] = .lingering(session)
    }

    mutating func take(_ token: String) -> Holder? {
        self.holders.removeValue(forKey: token)
    }

    /// The session whose grace period is over, unless it has been resumed.
    mutating func expire(_ token: String) -> ResumedSession? {
        guard case .lingering(let session) = self.holders[token] else { return nil }
        self.holders.removeValue(forKey: token)
        return session
    }

    /// The channel is gone, and so are the sessions that could be resumed in it.
    mutating func forget(_ channel: ChannelID) {
        self.holders = self.holders.filter { _, holder in
            if case .lingering(let session) = holder { session.channel != channel } else { true }
        }
    }

    func isLingering(_ token: String) -> Bool {
        if case .lingering = self.holders[token] { true } else { false }
    }

    /// A token is `SHARD.RANDOM`: it says which shard to ask.
    static func make(shard: Int, _ high: UInt64, _ low: UInt64) -> String {
        "\(shard).\(String(high, radix: 16)).\(String(low, radix: 16))"
    }

    static func shard(of token: String, count: Int) -> Int? {
        guard let index = token.split(separator: ".", maxSplits: 1).first.flatMap({ Int($0) }), index >= 0,
            index < count
        else { return nil }
        return index
    }
}
