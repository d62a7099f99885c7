import NIOCore

/// The calls to `publish` that wait: those in the outbox for their acknowledgement, the others for room in it.
struct Publishers {
    /// A publish for which the outbox has no room yet.
    struct Queued {
        let frame: ByteBuffer
        let ticket: UInt64
        let deadline: NIODeadline
        let waiter: Waiter<PublishReceipt>
    }

    private var sent: [UInt64: Waiter<PublishReceipt>] = [:]
    private var queue = CircularBuffer<Queued>()

    var hasQueue: Bool { !self.queue.isEmpty }
    var firstQueued: Queued? { self.queue.first }

    mutating func add(_ waiter: Waiter<PublishReceipt>, ticket: UInt64) {
        self.sent[ticket] = waiter
    }

    mutating func remove(_ ticket: UInt64) -> Waiter<PublishReceipt>? {
        self.sent.removeValue(forKey: ticket)
    }

    mutating func enqueue(_ queued: Queued) {
        self.queue.append(queued)
    }

    mutating func dequeue() {
        self.queue.removeFirst()
    }

    /// Nobody waits for this one any more.
    mutating func abandon(_ ticket: UInt64) {
        if self.sent.removeValue(forKey: ticket) == nil { self.queue.removeAll { $0.ticket == ticket } }
    }

    mutating func failAll(_ error: RoomClientError) {
        for (_, waiter) in self.sent.sorted(by: { $0.key < $1.key }) { waiter.answer(.failure(error)) }
        for queued in self.queue { queued.waiter.answer(.failure(error)) }
        self.sent = [:]
        self.queue = CircularBuffer()
    }
}
