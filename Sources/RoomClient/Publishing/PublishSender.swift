import NIOCore
import RoomModel
import RoomWire

/// Publishing: into the outbox, and out of it with the acknowledgement. Confined to the client's event loop.
final class PublishSender {
    private let connection: BrokerConnection
    private let session: ClientSession
    private let requests: RequestSender
    private let timeout: Duration
    private let whenFull: RoomClient.Configuration.WhenFull
    private var outbox: Outbox
    private var publishers = Publishers()
    private var timer = LoopTimer()

    init(
        _ connection: BrokerConnection,
        session: ClientSession,
        requests: RequestSender,
        configuration: RoomClient.Configuration
    ) {
        self.connection = connection
        self.session = session
        self.requests = requests
        self.timeout = configuration.publishTimeout
        self.whenFull = configuration.outbox.whenFull
        self.outbox = Outbox(limit: configuration.outbox, backoff: configuration.backoff)
    }

    /// Whether some publishes wait for their acknowledgement.
    var wantConnection: Bool { !self.outbox.isEmpty }

    // MARK: For the app

    /// - Parameter frame: the ticket is its `callback`.
    func publish(_ frame: ByteBuffer, to room: RoomName, ticket: UInt64, waiter: Waiter<PublishReceipt>) {
        if let error = self.connection.finalError ?? self.requests.tooLong(frame) {
            return waiter.answer(.failure(error))
        }
        let deadline = self.connection.loop.now + TimeAmount(self.timeout)
        let queued = Publishers.Queued(frame: frame, room: room, ticket: ticket, deadline: deadline, waiter: waiter)
        if !self.publishers.hasQueue, self.outbox.hasRoom(for: frame.readableBytes) {
            self.admit(queued)
        } else if self.whenFull == .wait {
            self.publishers.enqueue(queued)
        } else {
            let (count, bytes) = (self.outbox.count, self.outbox.bytes)
            let text = "the outbox is full: \(count) messages of \(bytes) bytes wait for their acknowledgement"
            waiter.answer(.failure(RoomClientError(.outboxFull, text)))
        }
        self.connection.want()
    }

    /// The task that published was cancelled: a message that has not been sent never will be, and nothing is sent again.
    func abandon(_ ticket: UInt64) {
        self.publishers.abandon(ticket)
        _ = self.outbox.remove(ticket)
        self.admitQueued()
    }

    /// Sends once, if there is a connection; answered or failed, never repeated.
    func publishEphemeral(_ json: JSON, to room: RoomName, waiter: Waiter<Void>) {
        if let error = self.connection.finalError { return waiter.answer(.failure(error)) }
        let request = PublishRequest(room: room, message: json.buffer, isEphemeral: true)
        self.requests.ask(.fails) {
            ClientFrameWriter.publish(request, callback: $0, into: &$1)
        } handler: { result in
            waiter.answer(result.map { _ in })
        }
    }

    // MARK: For the connection

    /// The next frame to write; `nil` if there is none.
    func next() -> ByteBuffer? {
        // With the next token they are sent in their order, with the old one the broker would refuse them.
        self.session.isRenewingToken ? nil : self.outbox.next()
    }

    func connectionLost() {
        self.outbox.connectionLost()
    }

    /// The session has another token.
    func tokenRenewed() {
        self.outbox.resendPostponed()
        self.connection.scheduleFlush()
    }

    func failAll(_ error: RoomClientError) {
        self.timer.cancel()
        _ = self.outbox.removeAll()
        self.publishers.failAll(error)
    }

    // MARK: The answer

    /// - Returns: whether the reply was the answer to a publish.
    func answered(_ reply: Reply, _ error: RoomClientError?) -> Bool {
        if let error {
            guard self.outbox.contains(reply.ticket) else { return false }
            self.refused(reply.ticket, error)
            return true
        }
        guard self.outbox.remove(reply.ticket) else { return false }
        let result = Result { () throws(BrokerFrameError) in PublishReceipt(try reply.receipt()) }
        self.publishers.remove(reply.ticket)?.waiter.answer(result.mapError(RoomClientError.init))
        self.admitQueued()
        return true
    }

    private func refused(_ ticket: UInt64, _ error: RoomClientError) {
        if error.code == .tokenExpired {
            self.session.renewToken()
            if self.session.isRenewingToken { return self.outbox.postpone(ticket) }
        }
        if error.isRetryable {
            self.publishers.refused(ticket, error)
            let refusal = self.outbox.refused(
                ticket,
                retryAfter: error.retryAfter,
                jitter: Backoff.jitter,
                now: self.connection.loop.now
            )
            if case .again(let time) = refusal { return self.arm(time) }
        }
        if self.outbox.remove(ticket) { self.publishers.remove(ticket)?.waiter.answer(.failure(error)) }
        self.admitQueued()
    }

    // MARK: The outbox

    private func admit(_ queued: Publishers.Queued) {
        self.publishers.add(queued.waiter, ticket: queued.ticket)
        self.outbox.add(queued.frame, to: queued.room, ticket: queued.ticket, deadline: queued.deadline)
        self.arm(queued.deadline)
        if self.connection.isReady { self.connection.scheduleFlush() }
    }

    private func admitQueued() {
        while let queued = self.publishers.firstQueued, self.outbox.hasRoom(for: queued.frame.readableBytes) {
            self.publishers.dequeue()
            if queued.deadline <= self.connection.loop.now {
                queued.waiter.answer(.failure(self.timedOut(after: nil)))
            } else {
                self.admit(queued)
            }
        }
        if self.outbox.holdsBack { self.connection.scheduleFlush() }
    }

    private func arm(_ time: NIODeadline?) {
        self.timer.arm(time) { self.connection.loop.schedule(at: $0, for: self) { $0.deadlinePassed() } }
    }

    private func deadlinePassed() {
        self.timer.fired()
        let now = self.connection.loop.now
        for ticket in self.outbox.expire(now: now) {
            guard let sent = self.publishers.remove(ticket) else { continue }
            sent.waiter.answer(.failure(self.timedOut(after: sent.refusal)))
        }
        self.outbox.release(now: now)
        self.admitQueued()
        self.connection.scheduleFlush()
        self.arm(self.outbox.nextDeadline)
    }

    /// - Parameter refusal: the broker's last word on it.
    private func timedOut(after refusal: RoomClientError?) -> RoomClientError {
        let answer = refusal.map { "; the broker's last answer: \($0.message)" } ?? ""
        return RoomClientError(
            .timedOut,
            "no acknowledgement within \(self.timeout): the broker may have stored the message or not\(answer)",
            isRetryable: false
        )
    }
}
