/// What happens in one room, while it happens.
///
/// The sequence ends with an error when the broker refuses it. If it resumes, it survives restarts of the broker and losses of
/// the connection: each message comes once, and an ``AdminRoomEvent/Kind/gap`` names those that are gone.
public struct AdminRoomEventSequence: AsyncSequence, Sendable {
    /// Something that has happened in the room.
    public typealias Element = AdminRoomEvent

    let client: AdminClient
    let path: [String]
    let last: String?
    let isResuming: Bool
    var pause = Duration.seconds(2)
    let change: @Sendable (AdminEventSequence.Connection) -> Void

    /// Connects with the first call of `next()`.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: self) }

    /// Reads the events of one stream after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var stream: ResumingStream

        init(of sequence: AdminRoomEventSequence) {
            self.stream = ResumingStream(
                client: sequence.client,
                path: sequence.path,
                last: sequence.last,
                isResuming: sequence.isResuming,
                pause: sequence.pause,
                change: sequence.change
            )
        }

        /// The next event; `nil` when the broker has ended the stream and the sequence does not resume.
        ///
        /// - Throws: ``AdminError``, or `CancellationError` where the task is cancelled.
        public mutating func next() async throws -> AdminRoomEvent? {
            while let read = try await self.stream.next() {
                if let event = AdminRoomEvent(read) { return event }
            }
            return nil
        }
    }
}

extension AdminClient {
    /// The events of a room from now on: messages, redactions, members, notices. The reader is not a member of the room.
    ///
    /// - Parameters:
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - place: goes on after this ``AdminRoomEvent/place``, as far as the messages are still there; `nil`: begins now.
    ///   - isResuming: connects again when the connection is lost, once it was there.
    ///   - onConnectionChange: is told of each loss and return of the connection.
    public func events(
        in room: String,
        of channel: String,
        after place: String? = nil,
        isResuming: Bool = true,
        onConnectionChange: @escaping @Sendable (AdminEventSequence.Connection) -> Void = { _ in }
    ) -> AdminRoomEventSequence {
        AdminRoomEventSequence(
            client: self,
            path: ["channels", channel, "rooms", room, "events"],
            last: place,
            isResuming: isResuming,
            change: onConnectionChange
        )
    }
}
