import NIOConcurrencyHelpers
import NIOCore

/// Reads one stream of server-sent events after the other, each from the place where the one before has ended.
struct ResumingStream {
    private let client: AdminClient
    private let path: [String]
    private let isResuming: Bool
    private let pause: Duration
    private let change: @Sendable (AdminEventSequence.Connection) -> Void
    private let stream = OpenStream()
    private var lines = EventLines()
    private var events: ArraySlice<EventLines.Event> = []
    private var last: String?
    private var hasBegun = false
    private var isLost = false

    init(
        client: AdminClient,
        path: [String],
        last: String?,
        isResuming: Bool,
        pause: Duration,
        change: @escaping @Sendable (AdminEventSequence.Connection) -> Void
    ) {
        self.client = client
        self.path = path
        self.last = last
        self.isResuming = isResuming
        self.pause = pause
        self.change = change
    }

    /// - Returns: `nil` when the broker has ended the stream and it does not resume.
    /// - Throws: ``AdminError``, or `CancellationError` where the task is cancelled.
    mutating func next() async throws -> EventLines.Event? {
        while true {
            if let event = self.events.popFirst() {
                self.last = event.id ?? self.last
                return event
            }
            let failure: AdminError
            do throws(AdminError) {
                if try await self.read() { continue }
                guard self.isResuming else { return nil }
                failure = AdminError(.unreachable, "the broker has ended the stream")
            } catch {
                failure = error
            }
            // Whoever cancels ends the connection: it is not lost.
            try Task.checkCancellation()
            try self.lose(failure)
            try await Task.sleep(for: self.pause)
        }
    }

    /// - Returns: `false` at the end of the stream.
    private mutating func read() async throws(AdminError) -> Bool {
        let connection = try await self.connection()
        let piece: ByteBuffer?
        do {
            piece = try await connection.cancelling { try await connection.piece() }
        } catch {
            throw self.client.failure(error)
        }
        guard let piece else { return false }
        self.events = self.lines.read(piece)[...]
        return true
    }

    private mutating func connection() async throws(AdminError) -> AdminConnection {
        if let connection = self.stream.connection { return connection }
        var request = AdminRequest(.get, self.path)
        request.lastEventID = self.last
        let connection = try await self.client.stream(request)
        self.stream.replace(connection)
        self.lines = EventLines()
        self.hasBegun = true
        if self.isLost { self.change(.restored) }
        self.isLost = false
        return connection
    }

    /// - Throws: where nothing better will come of another attempt.
    private mutating func lose(_ error: AdminError) throws(AdminError) {
        self.stream.replace(nil)
        let isPassing = error.code == .unreachable || error.status == 503
        guard self.isResuming, self.hasBegun, isPassing else { throw error }
        if !self.isLost { self.change(.lost(error)) }
        self.isLost = true
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
