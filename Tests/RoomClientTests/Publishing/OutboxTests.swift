import NIOCore
import RoomModel
import Testing

@testable import RoomClient

struct OutboxTests {
    private static let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private static let deadline = Self.now + .seconds(120)

    private var outbox = Self.outbox()

    private static func outbox(count: Int = 100, bytes: Int = 1_000) -> Outbox {
        Outbox(limit: .init(count: count, bytes: bytes), backoff: Backoff(base: .seconds(1), cap: .seconds(8)))
    }

    private mutating func add(
        _ tickets: UInt64...,
        to room: RoomName = RoomName("room"),
        size: Int = 10,
        deadline: NIODeadline = Self.deadline
    ) {
        for ticket in tickets {
            let text = "\(ticket)" + String(repeating: ".", count: size - "\(ticket)".utf8.count)
            self.outbox.add(ByteBuffer(string: text), to: room, ticket: ticket, deadline: deadline)
        }
    }

    /// Writes all that can be written.
    private mutating func send() -> [Int] {
        var sent: [Int] = []
        while let frame = self.outbox.next() {
            sent.append(Int(String(buffer: frame).prefix { $0 != "." }) ?? -1)
        }
        return sent
    }

    private mutating func refuse(
        _ ticket: UInt64,
        retryAfter: Duration? = nil,
        at now: NIODeadline = Self.now
    )
        -> Outbox.Refusal
    {
        self.outbox.refused(ticket, retryAfter: retryAfter, jitter: 1, now: now)
    }

    @Test mutating func `publishes go out once, in the order given`() {
        self.add(1, 2, 3)
        #expect(self.send() == [1, 2, 3])
        #expect(self.send() == [])
        self.add(4)
        #expect(self.send() == [4])
    }

    @Test mutating func `after a loss all that is unanswered goes out again in that order`() {
        self.add(9, 10, 11, 12)
        _ = self.send()
        _ = self.outbox.remove(10)
        self.add(100)
        self.outbox.connectionLost()
        #expect(self.send() == [9, 11, 12, 100])
        self.outbox.connectionLost()
        self.outbox.connectionLost()
        #expect(self.send() == [9, 11, 12, 100])
    }

    @Test mutating func `an answer is taken once`() {
        self.add(1)
        let answers = [self.outbox.remove(1), self.outbox.remove(1), self.outbox.remove(2)]
        #expect(answers == [true, false, false])
        #expect(self.outbox.isEmpty)
        #expect(self.outbox.bytes == 0)
    }

    @Test mutating func `one that is cancelled before it went out never does`() {
        self.add(1, 2, 3)
        _ = self.outbox.remove(2)
        #expect(self.send() == [1, 3])
    }

    @Test mutating func `count and bytes are bounded, but a single large one fits`() {
        self.outbox = Self.outbox(count: 3, bytes: 100)
        #expect(self.outbox.hasRoom(for: 101))
        self.add(1, size: 60)
        #expect(self.outbox.hasRoom(for: 40))
        #expect(!self.outbox.hasRoom(for: 41))
        self.add(2, 3)
        #expect(!self.outbox.hasRoom(for: 1))
        _ = self.outbox.remove(2)
        #expect(self.outbox.hasRoom(for: 30))
        #expect(!self.outbox.hasRoom(for: 31))
    }

    @Test mutating func `a refused one waits longer each time, and goes out when it is released`() {
        self.add(1, 2)
        _ = self.send()
        #expect(self.refuse(1) == .again(at: Self.now + .seconds(1)))
        #expect(self.outbox.nextDeadline == Self.now + .seconds(1))
        self.outbox.release(now: Self.now + .milliseconds(999))
        #expect(self.send() == [])
        self.outbox.release(now: Self.now + .seconds(1))
        #expect(self.send() == [1])
        #expect(self.refuse(1) == .again(at: Self.now + .seconds(2)))
        #expect(
            self.refuse(2, retryAfter: .seconds(30)) == .again(at: Self.now + .seconds(2)),
            "it waits behind the first"
        )
    }

    @Test mutating func `those behind a refused one of the same room wait with it, and keep their order`() {
        self.add(1, 2, 3, 4, 5)
        self.add(6, to: RoomName("other"))
        #expect(self.outbox.next().map { String(buffer: $0) } == "1.........")
        #expect(self.outbox.next().map { String(buffer: $0) } == "2.........")
        #expect(self.refuse(2, retryAfter: .seconds(1)) == .again(at: Self.now + .seconds(1)))
        #expect(self.refuse(1, retryAfter: .seconds(2)) == .again(at: Self.now + .seconds(1)))
        #expect(self.send() == [6], "another room goes on")
        self.add(7)
        self.outbox.release(now: Self.now + .seconds(1))
        #expect(self.send() == [1])
        _ = self.outbox.remove(1)
        #expect(self.send() == [2, 3])
        #expect(self.refuse(2, at: Self.now + .seconds(2)) == .again(at: Self.now + .seconds(3)))
        #expect(self.refuse(3, at: Self.now + .seconds(2)) == .again(at: Self.now + .seconds(3)))
        self.outbox.release(now: Self.now + .seconds(3))
        #expect(self.send() == [2])
        for ticket: UInt64 in [2, 3, 4] { _ = self.outbox.remove(ticket) }
        #expect(self.send() == [5, 7])
        for ticket: UInt64 in [5, 7] { _ = self.outbox.remove(ticket) }
        #expect(!self.outbox.holdsBack)
    }

    @Test mutating func `a stream of messages behind a refused one never ends, and stays in order`() {
        self.outbox = Self.outbox(count: 10_000, bytes: 1_000_000)
        self.add(1, 2)
        _ = self.send()
        _ = self.refuse(1, retryAfter: .seconds(1))
        _ = self.refuse(2)
        self.outbox.release(now: Self.now + .seconds(1))
        var (sent, last): ([Int], UInt64) = (self.send(), 2)
        for answered: UInt64 in 1...500 {
            self.add(last + 1, last + 2)
            last += 2
            _ = self.outbox.remove(answered)
            sent += self.send()
        }
        #expect(self.outbox.holdsBack && sent == Array(1...sent.count) && sent.count > 500)
    }

    @Test mutating func `a loss ends the waiting of a refused one, and it goes out once`() {
        self.add(1, 2)
        _ = self.send()
        _ = self.refuse(1, retryAfter: .seconds(1))
        self.outbox.connectionLost()
        #expect(self.send() == [1, 2])
        self.outbox.release(now: Self.now + .seconds(9))
        #expect(self.send() == [])
    }

    @Test mutating func `no retry is put off beyond the deadline`() {
        self.add(1)
        #expect(self.refuse(1, retryAfter: .seconds(120)) == .final)
        #expect(self.refuse(1, retryAfter: .milliseconds(119_999)) == .again(at: Self.deadline - .milliseconds(1)))
        #expect(self.refuse(2) == .unknown)
    }

    @Test mutating func `late ones are taken out in the order given, sent or not`() {
        self.add(2, 1, deadline: Self.now + .seconds(1))
        self.add(3)
        #expect(self.outbox.nextDeadline == Self.now + .seconds(1))
        #expect(self.outbox.expire(now: Self.now + .milliseconds(999)) == [])
        #expect(self.outbox.expire(now: Self.now + .seconds(1)) == [1, 2])
        #expect(self.outbox.bytes == 10)
        #expect(self.outbox.nextDeadline == Self.deadline)
        #expect(self.send() == [3])
    }

    @Test mutating func `at the end it is as new`() {
        self.add(2, 1)
        _ = self.refuse(1)
        #expect(self.outbox.removeAll() == [1, 2])
        #expect(self.outbox.isEmpty && self.outbox.bytes == 0 && self.outbox.nextDeadline == nil)
        #expect(self.send() == [])
    }

    @Test mutating func `what expires without a connection leaves nothing behind`() {
        self.add(1, deadline: .distantFuture)
        for ticket: UInt64 in 2...10_000 {
            self.add(ticket, deadline: Self.now)
            _ = self.outbox.expire(now: Self.now)
        }
        let line = Mirror(reflecting: self.outbox).descendant("unsent") as? CircularBuffer<UInt64>
        #expect((line?.count ?? .max) < 1_000)
        #expect(self.send() == [1])
    }
}
