import NIOCore
import RoomModel
import RoomWire

/// Sends the requests that have one reply each, publishes aside, and finds whom a reply is for. Confined to the client's event
/// loop.
final class RequestSender {
    let tickets: TicketCounter
    private let connection: BrokerConnection
    private let timeout: Duration
    private let longestLine: Int
    private var pending = PendingRequests()
    private var timer = LoopTimer()

    init(_ connection: BrokerConnection, configuration: RoomClient.Configuration, tickets: TicketCounter) {
        self.connection = connection
        self.timeout = configuration.requestTimeout
        self.longestLine = configuration.longestLine
        self.tickets = tickets
    }

    /// Whether some requests wait for a connection.
    var wantConnection: Bool { self.pending.wantConnection }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - subject: identity requests go before all others.
    ///   - frame: writes the frame with this `callback`.
    ///   - handler: called with the reply, or with the reason why there is none; not called for
    ///     ``PendingRequests/Persistence/dropped`` when the connection ends first.
    func ask(
        _ persistence: PendingRequests.Persistence,
        about subject: PendingRequests.Subject = .other,
        _ frame: (Int64, inout ByteBuffer) -> Void,
        handler: @escaping PendingRequests.Handler
    ) {
        let ticket = self.tickets.next()
        var buffer = ByteBuffer()
        frame(Int64(bitPattern: ticket), &buffer)
        if let error = self.tooLong(buffer) { return handler(.failure(error)) }
        let isSent = self.connection.isReady || (persistence == .dropped && self.connection.isOpen)
        guard isSent || persistence == .repeated else {
            return handler(.failure(RoomClientError(.notConnected, "the client is not connected to the broker")))
        }
        let deadline = isSent ? self.deadline : nil
        self.pending.add(buffer, about: subject, ticket: ticket, persistence, deadline: deadline, handler: handler)
        if isSent { self.connection.write { $0.writeImmutableBuffer(buffer) } }
        self.arm(deadline)
    }

    /// Sends what has waited for a connection or a token.
    func sendWaiting(about subject: PendingRequests.Subject) {
        for frame in self.pending.takeUnsent(about: subject, deadline: self.deadline) {
            self.connection.write { $0.writeImmutableBuffer(frame) }
        }
        self.arm(self.pending.nextDeadline)
    }

    func answered(_ reply: Reply, _ error: RoomClientError?) {
        guard let handler = self.pending.remove(reply.ticket) else { return }
        handler(error.map { .failure($0) } ?? .success(reply))
    }

    /// The broker wants another token first.
    ///
    /// - Returns: whether the request waits for one now.
    func postpone(_ reply: Reply) -> Bool { self.pending.postpone(reply.ticket) }

    func connectionLost(_ error: RoomClientError) {
        for handler in self.pending.connectionLost() { handler(.failure(error)) }
    }

    func failAll(_ error: RoomClientError) {
        self.timer.cancel()
        for handler in self.pending.removeAll() { handler(.failure(error)) }
    }

    /// The error that the broker would answer without a callback.
    func tooLong(_ frame: ByteBuffer) -> RoomClientError? {
        let length = frame.readableBytes - 1
        guard length > self.longestLine else { return nil }
        let text = "the request has \(length) bytes, the broker accepts lines of at most \(self.longestLine) bytes"
        return RoomClientError(.messageTooLarge, text)
    }

    // MARK: Deadlines

    private var deadline: NIODeadline { self.connection.loop.now + TimeAmount(self.timeout) }

    private func arm(_ time: NIODeadline?) {
        self.timer.arm(time) { self.connection.loop.schedule(at: $0, for: self) { $0.deadlinePassed() } }
    }

    private func deadlinePassed() {
        self.timer.fired()
        for handler in self.pending.expire(now: self.connection.loop.now) {
            handler(.failure(RoomClientError(.timedOut, "the broker has not answered within \(self.timeout)")))
        }
        self.arm(self.pending.nextDeadline)
    }
}

extension Reply {
    /// The number of the request.
    var ticket: UInt64 { UInt64(bitPattern: self.callback) }
}

extension Result where Success == Reply, Failure == RoomClientError {
    /// The content of the reply.
    func read<Value>(_ body: (Reply) throws(BrokerFrameError) -> Value) throws(RoomClientError) -> Value {
        let reply = try self.get()
        do throws(BrokerFrameError) {
            return try body(reply)
        } catch {
            throw RoomClientError(error)
        }
    }
}

extension RoomClientError {
    init(_ error: ReplyError) {
        let code = Code(rawValue: error.code)
        self.init(
            code,
            code == .authenticationRequired ? Self.tokenWanted : error.text,
            retryAfter: error.retryAfterMilliseconds.map { .milliseconds($0) }
        )
    }

    /// In place of Scaledrone's `Unauthorized`, which is the broker's whole text.
    private static let tokenWanted = "the channel wants an access token, and this client has none"

    init(_ error: BrokerFrameError) {
        self.init(.protocolViolation, "the broker's answer cannot be read: \(error.text)")
    }
}
