import NIOCore
import RoomModel
import RoomWire

/// Publishing: into the outbox, and out of it with the acknowledgement.
extension ClientCore {
    /// - Parameter frame: whose `callback` is the ticket.
    func publish(_ frame: ByteBuffer, ticket: UInt64, waiter: Waiter<PublishReceipt>) {
        if let error = self.finalError ?? self.tooLong(frame) { return waiter.answer(.failure(error)) }
        let deadline = self.loop.now + TimeAmount(self.configuration.publishTimeout)
        let queued = Publishers.Queued(frame: frame, ticket: ticket, deadline: deadline, waiter: waiter)
        if !self.publishers.hasQueue, self.outbox.hasRoom(for: frame.readableBytes) {
            self.admit(queued)
        } else if self.configuration.outbox.whenFull == .wait {
            self.publishers.enqueue(queued)
        } else {
            let (count, bytes) = (self.outbox.count, self.outbox.bytes)
            let text =
                "\(count) messages of \(bytes) bytes wait for their acknowledgement; publish again when some have it"
            waiter.answer(.failure(RoomClientError(.outboxFull, text)))
        }
        self.want()
    }

    /// The task that published was cancelled: what has not gone out yet never will, and nothing is sent again.
    func abandonPublish(_ ticket: UInt64) {
        self.publishers.abandon(ticket)
        _ = self.outbox.remove(ticket)
        self.admitQueued()
    }

    /// The answer to a publish.
    ///
    /// - Returns: whether it was one.
    func publishAnswered(_ reply: Reply) -> Bool {
        let ticket = UInt64(bitPattern: reply.callback)
        if let error = reply.error {
            guard self.outbox.contains(ticket) else { return false }
            self.publishRefused(ticket, RoomClientError(error))
            return true
        }
        guard self.outbox.remove(ticket) else { return false }
        let result = Result { () throws(BrokerFrameError) in PublishReceipt(try reply.receipt()) }
        self.publishers.remove(ticket)?.answer(result.mapError(RoomClientError.init))
        self.admitQueued()
        return true
    }

    private func publishRefused(_ ticket: UInt64, _ error: RoomClientError) {
        if error.code == .tokenExpired {
            self.renewToken()
            if self.isRenewingToken { return self.outbox.postpone(ticket) }
        }
        if error.isRetryable {
            let refusal = self.outbox.refused(
                ticket,
                retryAfter: error.retryAfter,
                jitter: self.random(),
                now: self.loop.now
            )
            if case .again(let time) = refusal { return self.armDeadline(time) }
        }
        if self.outbox.remove(ticket) { self.publishers.remove(ticket)?.answer(.failure(error)) }
        self.admitQueued()
    }

    func publishDeadlinePassed() {
        let now = self.loop.now
        for ticket in self.outbox.expire(now: now) { self.publishers.remove(ticket)?.answer(.failure(self.lateness)) }
        self.outbox.release(now: now)
        self.admitQueued()
        self.scheduleFlush()
    }

    private var lateness: RoomClientError {
        let timeout = self.configuration.publishTimeout
        return RoomClientError(
            .timedOut,
            "no acknowledgement within \(timeout): the message may have been stored or not",
            isRetryable: false
        )
    }

    private func admit(_ queued: Publishers.Queued) {
        self.publishers.add(queued.waiter, ticket: queued.ticket)
        self.outbox.add(queued.frame, ticket: queued.ticket, deadline: queued.deadline)
        self.armDeadline(queued.deadline)
        if self.isReady { self.scheduleFlush() }
    }

    private func admitQueued() {
        while let queued = self.publishers.firstQueued, self.outbox.hasRoom(for: queued.frame.readableBytes) {
            self.publishers.dequeue()
            if queued.deadline <= self.loop.now {
                queued.waiter.answer(.failure(self.lateness))
            } else {
                self.admit(queued)
            }
        }
    }

    /// Sends once, if there is a connection; answered or failed, never repeated.
    func publishEphemeral(_ json: JSON, to room: RoomName, waiter: Waiter<Void>) {
        if let finalError { return waiter.answer(.failure(finalError)) }
        let request = PublishRequest(room: room, message: json.buffer, isEphemeral: true)
        self.ask(.fails) {
            ClientFrameWriter.publish(request, callback: $0, into: &$1)
        } handler: { _, result in
            waiter.answer(result.map { _ in })
        }
    }
}
