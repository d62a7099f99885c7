import NIOCore
import RoomModel

/// The waiting calls of `publish`: some wait for their acknowledgement, the others for room in the outbox.
struct Publishers {
    /// A publish for which the outbox has no room yet.
    struct Queued {
        let frame: ByteBuffer
        let room: RoomName
        let ticket: UInt64
        let deadline: NIODeadline
        let waiter: Waiter<PublishReceipt>
    }

    /// A publish that is in the outbox.
    struct Sent {
        let waiter: Waiter<PublishReceipt>
        /// Why the broker has refused it the last time: it is sent again.
        var refusal: RoomClientError?
    }

    private var sent: [UInt64: Sent] = [:]
    private var queued: [UInt64: Queued] = [:]
    /// The first one is always queued; tickets further back that are not queued any more are skipped.
    private var order = CircularBuffer<UInt64>()

    var hasQueue: Bool { !self.queued.isEmpty }
    var firstQueued: Queued? { self.order.first.flatMap { self.queued[$0] } }

    mutating func add(_ waiter: Waiter<PublishReceipt>, ticket: UInt64) {
        self.sent[ticket] = Sent(waiter: waiter)
    }

    mutating func refused(_ ticket: UInt64, _ error: RoomClientError) {
        self.sent[ticket]?.refusal = error
    }

    mutating func remove(_ ticket: UInt64) -> Sent? {
        self.sent.removeValue(forKey: ticket)
    }

    mutating func enqueue(_ queued: Queued) {
        self.queued[queued.ticket] = queued
        self.order.append(queued.ticket)
    }

    mutating func dequeue() {
        self.queued[self.order.removeFirst()] = nil
        self.forgetSkipped()
    }

    /// The call does not wait any more.
    mutating func abandon(_ ticket: UInt64) {
        self.sent[ticket] = nil
        if self.queued.removeValue(forKey: ticket) != nil { self.forgetSkipped() }
    }

    private mutating func forgetSkipped() {
        while let first = self.order.first, self.queued[first] == nil { self.order.removeFirst() }
        guard self.order.count > 2 * self.queued.count + Self.skippedLimit else { return }
        let queued = self.queued
        self.order.removeAll { queued[$0] == nil }
    }

    private static let skippedLimit = 64

    mutating func failAll(_ error: RoomClientError) {
        for (_, sent) in self.sent.sorted(by: { $0.key < $1.key }) { sent.waiter.answer(.failure(error)) }
        for ticket in self.order { self.queued[ticket]?.waiter.answer(.failure(error)) }
        self.sent = [:]
        self.queued = [:]
        self.order = CircularBuffer()
    }
}
