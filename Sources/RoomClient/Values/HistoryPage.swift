/// Some stored messages of a room, the oldest first.
public struct HistoryPage<Body: Sendable>: Sendable {
    /// In the room's order.
    public let messages: [RoomMessage<Body>]
    /// The range that was asked for goes on beyond this page: ask again, before the first or after the last `seq` of it.
    public let hasMore: Bool

    init(messages: [RoomMessage<Body>], hasMore: Bool) {
        self.messages = messages
        self.hasMore = hasMore
    }
}
