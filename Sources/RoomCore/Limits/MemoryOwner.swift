/// Something that keeps bytes because of what clients do. `docs/configuration.md` has a row for each.
package enum MemoryOwner: String, CaseIterable, Sendable {
    case shared = "rooms and what is kept for them"
    case windows
    case publishKeys = "publish keys"
    case unstored = "messages that are not stored yet"
    case unreadReplies = "unread replies"
    case lingering = "sessions in their grace period"
    case httpAnswers = "unread HTTP answers"
    case store
    case addresses = "rates of addresses and members"
    case events = "events for administrators"
    case pages = "pages of the history"
    case emptyRooms = "rooms without members"
    case rooms = "rooms with members"
    case moderation = "bans, mutes and rules"
    case connections
    case input
    case subscriptions
    case httpRequests = "HTTP requests"
    case httpConnections = "HTTP connections"

    /// The unit for which the number of bytes is bounded.
    package enum Scale: String, Sendable {
        case broker
        case loop = "event loop"
        case channel
        /// Within the bound of `shared`.
        case part = "of these"
        case connection
        case httpConnection = "HTTP connection"
    }

    package var scale: Scale {
        switch self {
        case .shared, .unstored, .unreadReplies, .input, .httpAnswers, .httpRequests, .store, .addresses, .events:
            .broker
        case .windows, .publishKeys, .lingering, .emptyRooms, .rooms, .subscriptions: .part
        case .pages: .loop
        case .moderation: .channel
        case .connections: .connection
        case .httpConnections: .httpConnection
        }
    }
}
