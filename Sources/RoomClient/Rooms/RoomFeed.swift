/// What a room yields, one element after the other: `for await message in room.messages { … }`.
///
/// A feed starts where its room was joined and is kept whether or not anybody reads it, so nothing is missed before the loop
/// begins or between two loops. It is for one task at a time: a second loop at the same time takes elements from the first, or
/// ends at once. It ends when the room is left, when the client is closed, and when the task is cancelled; ``Room/endError``
/// says why.
///
/// A reader that is slower than its room costs nobody else anything: what does not fit into the feed's buffer
/// (``RoomClient/Configuration/FeedBuffer``) is dropped and fetched from the history once the reader has caught up. Where
/// there is no history it is told as a ``RoomEvent/gap(_:)``.
public struct RoomFeed<Element: Sendable>: AsyncSequence, Sendable {
    /// A feed does not throw.
    public typealias Failure = Never

    private let feed: Feed
    private let membership: Membership
    private let element: @Sendable (IncomingEvent) -> Element?

    init(_ feed: Feed, _ membership: Membership, element: @escaping @Sendable (IncomingEvent) -> Element?) {
        self.feed = feed
        self.membership = membership
        self.element = element
    }

    /// Reads on where the last reader stopped.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: self.feed, membership: self.membership, element: self.element)
    }

    /// Reads a ``RoomFeed``.
    public struct Iterator: AsyncIteratorProtocol {
        /// A feed does not throw.
        public typealias Failure = Never

        fileprivate let feed: Feed
        /// Whoever reads is still in the room.
        fileprivate let membership: Membership
        fileprivate let element: @Sendable (IncomingEvent) -> Element?

        /// The next element; `nil` at the end of the feed, and in a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let event = await self.feed.next() {
                if let element = self.element(event) { return element }
            }
            return nil
        }

        /// The next element; `nil` at the end of the feed, and in a cancelled task.
        public mutating func next() async -> Element? {
            await self.next(isolation: #isolation)
        }
    }
}
