/// What happens in the broker, while it happens.
///
/// The sequence ends with an error when the broker refuses it. If it resumes, it survives restarts of the broker and losses of
/// the connection: it goes on after the last event that it has received, and a ``AdminEvent/Kind/gap`` says where events are
/// missing.
public struct AdminEventSequence: AsyncSequence, Sendable {
    /// Something that has happened.
    public typealias Element = AdminEvent

    /// What becomes of the connection of a sequence that resumes.
    public enum Connection: Sendable {
        /// It is lost; the sequence connects again.
        case lost(AdminError)
        /// It is there again.
        case restored
    }

    let client: AdminClient
    let channel: String?
    let last: String?
    let isResuming: Bool
    var pause = Duration.seconds(2)
    let change: @Sendable (Connection) -> Void

    /// Connects with the first call of `next()`.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: self) }

    /// Reads the events of one stream after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let channel: String?
        private var stream: ResumingStream

        init(of sequence: AdminEventSequence) {
            self.channel = sequence.channel
            self.stream = ResumingStream(
                client: sequence.client,
                path: ["events"],
                last: sequence.last,
                isResuming: sequence.isResuming,
                pause: sequence.pause,
                change: sequence.change
            )
        }

        /// The next event; `nil` when the broker has ended the stream and the sequence does not resume.
        ///
        /// - Throws: ``AdminError``, or `CancellationError` where the task is cancelled.
        public mutating func next() async throws -> AdminEvent? {
            while let read = try await self.stream.next() {
                guard let event = AdminEvent(read) else { continue }
                if event.channel == nil || event.channel == self.channel ?? event.channel { return event }
            }
            return nil
        }
    }
}

extension AdminClient {
    /// What happens in the broker from now on: connections, rooms, changes of channels and acts of moderators.
    ///
    /// - Parameters:
    ///   - channel: only the events of this channel, and gaps; `nil`: all.
    ///   - id: goes on after this event, as far as the broker remembers; `nil`: begins now.
    ///   - isResuming: connects again when the connection is lost, once it was there.
    ///   - onConnectionChange: is told of each loss and return of the connection.
    public func events(
        of channel: String? = nil,
        after id: String? = nil,
        isResuming: Bool = true,
        onConnectionChange: @escaping @Sendable (AdminEventSequence.Connection) -> Void = { _ in }
    ) -> AdminEventSequence {
        AdminEventSequence(
            client: self,
            channel: channel,
            last: id,
            isResuming: isResuming,
            change: onConnectionChange
        )
    }
}
