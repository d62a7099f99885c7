/// The stored messages of a room, page by page; the pages are fetched as they are needed.
public struct AdminHistorySequence: AsyncSequence, Sendable {
    /// A page of stored messages.
    public typealias Element = AdminHistoryPage

    let client: AdminClient
    let room: String
    let channel: String
    let seq: UInt64

    /// Begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: self) }

    /// Reads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private static let longestPage = 1_000

        private let sequence: AdminHistorySequence
        private var seq: UInt64
        private var epoch: String?
        private var isComplete = false

        init(of sequence: AdminHistorySequence) {
            self.sequence = sequence
            self.seq = sequence.seq
        }

        /// The next page, which has at least one message or a gap; `nil` at the end of the log.
        ///
        /// - Throws: ``AdminError``; ``AdminError/Code/historyMoved`` if the room was cleared meanwhile, because nothing more of
        ///   its log can be had then.
        public mutating func next() async throws -> AdminHistoryPage? {
            guard !self.isComplete else { return nil }
            let (room, channel) = (self.sequence.room, self.sequence.channel)
            let page = try await self.sequence.client.send(
                .history(of: room, in: channel, after: self.seq, limit: Self.longestPage)
            )
            guard self.epoch == nil || self.epoch == page.epoch else {
                throw AdminError(
                    .historyMoved,
                    "the room \(room) was cleared meanwhile; what was read ends with message \(self.seq)"
                )
            }
            self.epoch = page.epoch
            let last = try page.lastSeq()
            self.isComplete = !page.hasMore || last == nil
            self.seq = last ?? self.seq
            return page.isEmpty ? nil : page
        }
    }
}
