import NIOConcurrencyHelpers
import NIOCore

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
        private let sequence: AdminEventSequence
        private let stream = OpenStream()
        private var lines = EventLines()
        private var events: ArraySlice<AdminEvent> = []
        private var last: String?
        private var hasBegun = false
        private var isLost = false

        init(of sequence: AdminEventSequence) {
            self.sequence = sequence
            self.last = sequence.last
        }

        /// The next event; `nil` when the broker has ended the stream and the sequence does not resume.
        ///
        /// - Throws: ``AdminError``, or `CancellationError` where the task is cancelled.
        public mutating func next() async throws -> AdminEvent? {
            while true {
                if let event = self.events.popFirst() {
                    self.last = event.id ?? self.last
                    guard event.channel == nil || event.channel == self.sequence.channel ?? event.channel else {
                        continue
                    }
                    return event
                }
                let failure: AdminError
                do throws(AdminError) {
                    if try await self.read() { continue }
                    guard self.sequence.isResuming else { return nil }
                    failure = AdminError(.unreachable, "the broker has ended the stream")
                } catch {
                    failure = error
                }
                // Whoever cancels ends the connection: it is not lost.
                try Task.checkCancellation()
                try self.lose(failure)
                try await Task.sleep(for: self.sequence.pause)
            }
        }

        /// - Returns: `false` at the end of the stream.
        private mutating func read() async throws(AdminError) -> Bool {
            let connection = try await self.connection()
            let piece: ByteBuffer?
            do {
                piece = try await connection.cancelling { try await connection.piece() }
            } catch {
                throw self.sequence.client.failure(error)
            }
            guard let piece else { return false }
            self.events = self.lines.read(piece).compactMap { AdminEvent($0) }[...]
            return true
        }

        private mutating func connection() async throws(AdminError) -> AdminConnection {
            if let connection = self.stream.connection { return connection }
            var request = AdminRequest(.get, ["events"])
            request.lastEventID = self.last
            let connection = try await self.sequence.client.stream(request)
            self.stream.replace(connection)
            self.lines = EventLines()
            self.hasBegun = true
            if self.isLost { self.sequence.change(.restored) }
            self.isLost = false
            return connection
        }

        /// - Throws: where nothing better will come of another attempt.
        private mutating func lose(_ error: AdminError) throws(AdminError) {
            self.stream.replace(nil)
            let isPassing = error.code == .unreachable || error.status == 503
            guard self.sequence.isResuming, self.hasBegun, isPassing else { throw error }
            if !self.isLost { self.sequence.change(.lost(error)) }
            self.isLost = true
        }
    }
}

/// The connection of an iterator: an iterator that is dropped closes it.
private final class OpenStream: Sendable {
    private let box = NIOLockedValueBox<AdminConnection?>(nil)

    deinit { self.connection?.abandon() }

    var connection: AdminConnection? { self.box.withLockedValue { $0 } }

    func replace(_ connection: AdminConnection?) {
        self.connection?.abandon()
        self.box.withLockedValue { $0 = connection }
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
