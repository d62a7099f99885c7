/// The messages or the events of a room as an asynchronous sequence: `for await message in room.messages { … }`.
///
/// A feed starts when the client joins the room, and buffers elements whether or not a task reads them. So an app misses
/// nothing before its loop begins or between two loops. Only one task may read a feed at a time: a second loop takes elements
/// from the first one, or ends immediately. A feed ends when the app leaves the room, when the broker removes the client from it,
/// when the client is closed, and when the task is cancelled; ``Room/endError`` has the reason.
///
/// A slow reader does not slow down the client. The client drops elements that do not fit into the feed's buffer
/// (``RoomClient/Configuration/FeedBuffer``), and fetches them from the history when the reader has caught up. If the channel
/// has no history, the feed reports a ``RoomEvent/gap(_:)``.
public struct RoomFeed<Element: Sendable>: AsyncSequence, Sendable {
    /// A feed never throws.
    public typealias Failure = Never

    let feed: Feed
    let membership: Membership
    let element: @Sendable (IncomingEvent) -> Element?

    /// Continues where the last reader stopped.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: self.feed, membership: self.membership, element: self.element)
    }

    /// The iterator of a ``RoomFeed``.
    public struct Iterator: AsyncIteratorProtocol {
        /// A feed never throws.
        public typealias Failure = Never

        fileprivate let feed: Feed
        /// Keeps the client in the room while a task reads.
        fileprivate let membership: Membership
        fileprivate let element: @Sendable (IncomingEvent) -> Element?

        /// Waits for the next element; returns `nil` at the end of the feed and in a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let event = await self.feed.next() {
                if let element = self.element(event) { return element }
            }
            return nil
        }

        /// Waits for the next element; returns `nil` at the end of the feed and in a cancelled task.
        public mutating func next() async -> Element? {
            await self.next(isolation: #isolation)
        }
    }
}
