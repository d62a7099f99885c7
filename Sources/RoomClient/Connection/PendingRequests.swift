import NIOConcurrencyHelpers
import NIOCore
import RoomWire

/// The requests that wait for their reply, except publishes.
struct PendingRequests {
    typealias Handler = (Result<Reply, RoomClientError>) -> Void

    /// The fate of a request whose connection ends first.
    enum Persistence {
        /// It is dropped: the next connection sends its own.
        case dropped
        /// It fails.
        case fails
        /// The next connection sends it again.
        case repeated
    }

    /// The subject of a request.
    enum Subject {
        /// The identity of the client: the handshake and the token.
        case identity
        /// Everything that may need a token.
        case other
    }

    private struct PendingRequest {
        let frame: ByteBuffer
        let subject: Subject
        let persistence: Persistence
        let handler: Handler
        /// `nil` until it is sent.
        var deadline: NIODeadline?
    }

    private var pendingRequests: [UInt64: PendingRequest] = [:]

    /// Whether some wait for a connection.
    var wantConnection: Bool { self.pendingRequests.contains { $0.value.persistence == .repeated } }

    mutating func add(
        _ frame: ByteBuffer,
        about subject: Subject = .other,
        ticket: UInt64,
        _ persistence: Persistence,
        deadline: NIODeadline?,
        handler: @escaping Handler
    ) {
        self.pendingRequests[ticket] = PendingRequest(
            frame: frame,
            subject: subject,
            persistence: persistence,
            handler: handler,
            deadline: deadline
        )
    }

    mutating func remove(_ ticket: UInt64) -> Handler? {
        self.pendingRequests.removeValue(forKey: ticket)?.handler
    }

    /// The broker wants another token first: the request waits as if it had not been sent.
    ///
    /// - Returns: whether there is such a request, and a token can help.
    mutating func postpone(_ ticket: UInt64) -> Bool {
        guard self.pendingRequests[ticket]?.subject == .other else { return false }
        self.pendingRequests[ticket]?.deadline = nil
        return true
    }

    /// The frames that wait for a connection or a token, in their order.
    mutating func takeUnsent(about subject: Subject, deadline: NIODeadline) -> [ByteBuffer] {
        let tickets = self.pendingRequests.filter { $0.value.deadline == nil && $0.value.subject == subject }.keys
            .sorted()
        for ticket in tickets { self.pendingRequests[ticket]?.deadline = deadline }
        return tickets.compactMap { self.pendingRequests[$0]?.frame }
    }

    /// Removes the requests that cannot outlive the connection.
    ///
    /// - Returns: the handlers of those that fail.
    mutating func connectionLost() -> [Handler] {
        let failed = self.pendingRequests.filter { $0.value.persistence == .fails }.sorted { $0.key < $1.key }
        self.pendingRequests = self.pendingRequests.filter { $0.value.persistence == .repeated }
        for ticket in self.pendingRequests.keys { self.pendingRequests[ticket]?.deadline = nil }
        return failed.map(\.value.handler)
    }

    mutating func removeAll() -> [Handler] {
        defer { self.pendingRequests = [:] }
        return self.pendingRequests.sorted { $0.key < $1.key }.map(\.value.handler)
    }

    /// Removes the requests that were not answered in time.
    mutating func expire(now: NIODeadline) -> [Handler] {
        let late = self.pendingRequests.filter { $0.value.deadline.map { $0 <= now } ?? false }.sorted {
            $0.key < $1.key
        }
        for (ticket, _) in late { self.pendingRequests[ticket] = nil }
        return late.map(\.value.handler)
    }

    var nextDeadline: NIODeadline? { self.pendingRequests.values.compactMap(\.deadline).min() }
}

/// Numbers the requests of one client; each number is the `callback` of a frame. The numbers rise over reconnections, so that a
/// late answer is never taken for the answer to another request.
final class TicketCounter: Sendable {
    private let last = NIOLockedValueBox<UInt64>(0)

    func next() -> UInt64 {
        self.last.withLockedValue { last in
            last += 1
            return last
        }
    }
}
