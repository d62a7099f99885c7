/// How a channel behaves; stored in `control.sqlite`, changed by `--channel` at start and by the admin API at run time.
package struct ChannelSettings: Equatable, Sendable {
    package var id: ChannelID
    /// For people; empty: none.
    package var name: String
    package var authentication: Authentication
    package var tokenExpiry: TokenExpiry
    /// `nil`: the channel's rooms keep no history, but for those of `historyRules`.
    package var history: HistorySettings?
    /// Rooms that keep another history than the channel's: the first rule that matches a name counts.
    package var historyRules: [HistoryRule]
    package var historyOrder: HistoryOrder
    package var durability: Durability
    package var presence: PresenceScope
    /// Above it, `observable_members` and `members` give the count only; `nil`: the broker's own limit.
    package var membersListed: Int?
    package var authDataStamps: AuthDataStamps
    /// Browser origins (RFC 6454 §6.2, as `https://app.example`) that may connect; empty: any for a channel that
    /// requires tokens, none otherwise.
    package var allowedOrigins: [String]
    package var limits: ChannelLimits
    /// How long a session that asked for it can be resumed after its connection is lost.
    package var grace: Duration

    package init(
        id: ChannelID,
        name: String = "",
        authentication: Authentication = .none,
        tokenExpiry: TokenExpiry = .atUse,
        history: HistorySettings? = nil,
        historyRules: [HistoryRule] = [],
        historyOrder: HistoryOrder = .oldestFirst,
        durability: Durability = .process,
        presence: PresenceScope = .prefix,
        membersListed: Int? = nil,
        authDataStamps: AuthDataStamps = .observable,
        allowedOrigins: [String] = [],
        limits: ChannelLimits = ChannelLimits(),
        grace: Duration = .seconds(10)
    ) {
        self.id = id
        self.name = name
        self.authentication = authentication
        self.tokenExpiry = tokenExpiry
        self.history = history
        self.historyRules = historyRules
        self.historyOrder = historyOrder
        self.durability = durability
        self.presence = presence
        self.membersListed = membersListed
        self.authDataStamps = authDataStamps
        self.allowedOrigins = allowedOrigins
        self.limits = limits
        self.grace = grace
    }
}

/// Who has to show a token.
package enum Authentication: String, CaseIterable, Sendable {
    /// Nobody; a token is refused.
    case none
    /// Nobody; who shows a token may do what it says and no more.
    case optional
    /// Everybody, before anything else.
    case required
}

/// What becomes of a member whose token expires.
package enum TokenExpiry: String, CaseIterable, Sendable {
    /// A token has to be valid when it is shown; the session goes on. What stock Scaledrone clients expect.
    case atUse = "at_use"
    /// The member is told `token_expired` and has to show another token, or is let go.
    case live
}

/// How much of a room's log the store keeps.
package struct HistorySettings: Equatable, Sendable {
    /// The newest messages of a room that are kept; 1 or more.
    package var count: Int
    /// Older messages are not served any more and trimmed.
    package var age: Duration

    package init(count: Int, age: Duration = .seconds(30 * 24 * 3600)) {
        self.count = count
        self.age = age
    }
}

/// The history of rooms whose name matches.
package struct HistoryRule: Equatable, Sendable {
    /// A regular expression that is looked for anywhere in the name, as in a token's permissions.
    package var pattern: String
    /// `nil`: these rooms keep none.
    package var history: HistorySettings?

    package init(pattern: String, history: HistorySettings?) {
        self.pattern = pattern
        self.history = history
    }
}

/// Which of the messages in one reply has `index` 0.
package enum HistoryOrder: String, CaseIterable, Sendable {
    case oldestFirst = "oldest_first"
    case newestFirst = "newest_first"
}

/// What an acknowledged publish survives.
package enum Durability: String, CaseIterable, Sendable {
    /// `kill -9` of the broker.
    case process
    /// Also a power cut: each commit is synced to the disk.
    case power
}

/// Which rooms show their members.
package enum PresenceScope: String, CaseIterable, Sendable {
    /// Those whose name starts with `observable-`.
    case prefix
    case all

    package func covers(_ room: RoomName) -> Bool { self == .all || room.isObservable }
}

/// Where the `authData` of a token is in stamps.
package enum AuthDataStamps: String, CaseIterable, Sendable {
    /// In rooms that show their members.
    case observable
    case always
    case never
}
