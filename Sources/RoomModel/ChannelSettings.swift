/// How a channel behaves; stored in `control.sqlite`, changed by `--channel` at start.
package struct ChannelSettings: Equatable, Sendable {
    package var id: ChannelID
    /// `nil`: the channel's rooms keep no history.
    package var history: HistorySettings?
    package var durability: Durability
    /// How long a session that asked for it can be resumed after its connection is lost.
    package var grace: Duration

    package init(
        id: ChannelID,
        history: HistorySettings? = nil,
        durability: Durability = .process,
        grace: Duration = .seconds(10)
    ) {
        self.id = id
        self.history = history
        self.durability = durability
        self.grace = grace
    }
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

/// What an acknowledged publish survives.
package enum Durability: String, CaseIterable, Sendable {
    /// `kill -9` of the broker.
    case process
    /// Also a power cut: each commit is synced to the disk.
    case power
}
