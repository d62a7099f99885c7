import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)))
struct PublishersTests {
    private var publishers = Publishers()

    private static func queued(_ ticket: UInt64) -> Publishers.Queued {
        Publishers.Queued(
            frame: ByteBuffer(),
            room: RoomName("room"),
            ticket: ticket,
            deadline: .distantFuture,
            waiter: Waiter()
        )
    }

    @Test mutating func `who waits for an acknowledgement is found by its ticket, once`() {
        let waiter = Waiter<PublishReceipt>()
        self.publishers.add(waiter, ticket: 7)
        #expect(self.publishers.remove(8)?.waiter == nil)
        #expect(self.publishers.remove(7)?.waiter === waiter)
        #expect(self.publishers.remove(7)?.waiter == nil)
    }

    @Test mutating func `the queue is first in, first out`() {
        #expect(!self.publishers.hasQueue)
        for ticket: UInt64 in [5, 3, 9] { self.publishers.enqueue(Self.queued(ticket)) }
        var order: [UInt64] = []
        while let first = self.publishers.firstQueued {
            order.append(first.ticket)
            self.publishers.dequeue()
        }
        #expect(order == [5, 3, 9])
        #expect(!self.publishers.hasQueue)
    }

    @Test mutating func `one that is abandoned leaves the queue, or its place among those that are sent`() {
        for ticket: UInt64 in 1...3 { self.publishers.enqueue(Self.queued(ticket)) }
        self.publishers.add(Waiter(), ticket: 4)
        self.publishers.abandon(1)
        self.publishers.abandon(4)
        self.publishers.abandon(99)
        #expect(self.publishers.firstQueued?.ticket == 2)
        #expect(self.publishers.remove(4) == nil)
    }

    /// Were each a walk through the queue, this would take minutes.
    @Test mutating func `many that are abandoned do not block the client`() {
        let tickets = 1...(20_000 as UInt64)
        for ticket in tickets { self.publishers.enqueue(Self.queued(ticket)) }
        for ticket in tickets.reversed() where ticket % 1_000 != 5 { self.publishers.abandon(ticket) }
        var left: [UInt64] = []
        while let first = self.publishers.firstQueued {
            left.append(first.ticket)
            self.publishers.dequeue()
        }
        #expect(left == tickets.filter { $0 % 1_000 == 5 })
        #expect(!self.publishers.hasQueue)
    }

    @Test mutating func `at the end all fail`() async {
        let (sent, queued) = (Waiter<PublishReceipt>(), Self.queued(2))
        self.publishers.add(sent, ticket: 1)
        self.publishers.enqueue(queued)
        self.publishers.failAll(.closed)
        #expect(!self.publishers.hasQueue)
        for waiter in [sent, queued.waiter] {
            await #expect { try await waiter.wait() } throws: { ($0 as? RoomClientError)?.code == .closed }
        }
    }
}
