import RoomClient

/// Tries to connect at once, in place of waiting for the next attempt.
enum BrokerReconnection {
    static let isPossible = false

    static func attempt(_ client: RoomClient) {}
}
