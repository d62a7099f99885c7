/// Whether clients have to show a token.
package enum Authentication: String, CaseIterable, Sendable {
    /// Nobody; a token is refused.
    case none
    /// Nobody; who shows a token may do what it says and no more.
    case optional
    /// Everybody, before anything else.
    case required
}

/// The treatment of a member whose token expires.
package enum TokenExpiry: String, CaseIterable, Sendable {
    /// A token has to be valid when it is shown; the session goes on. Stock Scaledrone clients expect this.
    case atUse = "at_use"
    /// The member is told `token_expired` and has to show another token, or is let go.
    case live
}

/// How much of a room's log the store keeps.
package struct HistorySettings: Hashable, Sendable {
    /// The newest messages of a room that are kept; 1 or more.
    package var count: Int
    /// Older messages are not served any more and trimmed.
    package var age: Duration

    package init(count: Int = 1_000, age: Duration = .seconds(30 * 24 * 3600)) {
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

/// The failures that an acknowledged publish survives.
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
    /// The same, and all others to those who ask for it.
    case ask
    case all

    package func presence(of room: RoomName) -> RoomPresence {
        if self == .all || room.isObservable { return .shown }
        return self == .ask ? .onRequest : .hidden
    }
}

/// The members to whom a room shows who is in it.
package enum RoomPresence: Hashable, Sendable {
    case hidden
    /// Those who have asked for it.
    case onRequest
    /// All.
    case shown

    /// - Parameter asks: whether a member has asked for it.
    package func isShown(asks: Bool) -> Bool { self == .shown || self == .onRequest && asks }
}

/// Which stamps contain the `authData` of a token.
package enum AuthDataStamps: String, CaseIterable, Sendable {
    /// In rooms that show their members.
    case observable
    case always
    case never
}
