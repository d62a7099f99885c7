/// Some stored messages of a room, the oldest first.
public struct HistoryPage<Body: Sendable>: Sendable {
    /// In the room's order. Of a message that was taken away a tombstone is left, see ``RoomMessage/isRedacted``.
    public let messages: [RoomMessage<Body>]
    /// The first and the last place in the room's log that this page covers; `nil` where it is empty. Not every place is one
    /// of a message: redactions have places of their own.
    public let seqs: ClosedRange<UInt64>?
    /// The range that was asked for goes on beyond this page: ask again, before the first or after the last of ``seqs``.
    public let hasMore: Bool

    init(messages: [RoomMessage<Body>], seqs: ClosedRange<UInt64>?, hasMore: Bool) {
        self.messages = messages
        self.seqs = seqs
        self.hasMore = hasMore
    }
}
