import NIOConcurrencyHelpers
import NIOCore
import RoomWire
import Testing

@testable import RoomClient

struct PendingRequestsTests {
    private static let soon = NIODeadline.uptimeNanoseconds(30_000_000_000)
    private static let later = NIODeadline.uptimeNanoseconds(60_000_000_000)

    /// Who was told what, in order.
    private final class Told {
        var answers: [String] = []

        func handler(_ name: String) -> PendingRequests.Handler {
            { result in
                switch result {
                case .success(let reply): self.answers.append("\(name) \(reply.callback)")
                case .failure(let error): self.answers.append("\(name) \(error.code)")
                }
            }
        }
    }

    private let told = Told()
    private var pendingRequests = PendingRequests()

    private mutating func add(
        _ ticket: UInt64,
        _ persistence: PendingRequests.Persistence,
        about subject: PendingRequests.Subject = .other,
        deadline: NIODeadline? = Self.soon
    ) {
        let handler = self.told.handler("\(ticket)")
        self.pendingRequests.add(
            ByteBuffer(string: "\(ticket)"),
            about: subject,
            ticket: ticket,
            persistence,
            deadline: deadline,
            handler: handler
        )
    }

    private static func texts(_ frames: [ByteBuffer]) -> [String] { frames.map { String(buffer: $0) } }

    @Test mutating func `a question is answered once`() {
        self.add(1, .fails)
        let (first, second, other) = (
            self.pendingRequests.remove(1), self.pendingRequests.remove(1), self.pendingRequests.remove(2)
        )
        first?(.failure(.closed))
        #expect(second == nil && other == nil)
        #expect(self.told.answers == ["1 closed"])
    }

    @Test mutating func `at a loss the persistence decides`() {
        self.add(1, .dropped)
        self.add(3, .fails)
        self.add(2, .fails)
        self.add(4, .repeated)
        for handler in self.pendingRequests.connectionLost() { handler(.failure(.cancelled)) }
        #expect(self.told.answers == ["2 cancelled", "3 cancelled"])
        let unsent = Self.texts(self.pendingRequests.takeUnsent(about: .other, deadline: Self.later))
        #expect(unsent == ["4"])
        let dropped = self.pendingRequests.remove(1)
        #expect(dropped == nil)
    }

    @Test mutating func `what waits for a connection is sent in the order asked, once a connection`() {
        for ticket: UInt64 in [12, 3, 100, 7] { self.add(ticket, .repeated, deadline: nil) }
        let first = Self.texts(self.pendingRequests.takeUnsent(about: .other, deadline: Self.soon))
        #expect(first == ["3", "7", "12", "100"])
        let second = Self.texts(self.pendingRequests.takeUnsent(about: .other, deadline: Self.soon))
        #expect(second == [])
        _ = self.pendingRequests.connectionLost()
        let third = Self.texts(self.pendingRequests.takeUnsent(about: .other, deadline: Self.soon))
        #expect(third == first)
    }

    @Test mutating func `what a token was missing for is sent again, but not who one is`() {
        self.add(1, .fails)
        self.add(2, .repeated, about: .identity)
        let postponed = (1...3).filter { self.pendingRequests.postpone($0) }
        #expect(postponed == [1])
        let unsent = Self.texts(self.pendingRequests.takeUnsent(about: .other, deadline: Self.later))
        #expect(unsent == ["1"])
        _ = self.pendingRequests.connectionLost()
        let identity = Self.texts(self.pendingRequests.takeUnsent(about: .identity, deadline: Self.later))
        #expect(identity == ["2"])
    }

    @Test mutating func `only what is repeated wants a connection`() {
        #expect(!self.pendingRequests.wantConnection)
        self.add(1, .dropped)
        self.add(2, .fails)
        #expect(!self.pendingRequests.wantConnection)
        self.add(3, .repeated, deadline: nil)
        #expect(self.pendingRequests.wantConnection)
    }

    @Test mutating func `late ones are taken out in the order asked, those that are not sent never are`() {
        self.add(3, .fails, deadline: Self.soon)
        self.add(2, .repeated, deadline: Self.soon)
        self.add(1, .repeated, deadline: Self.later)
        self.add(4, .repeated, deadline: nil)
        #expect(self.pendingRequests.nextDeadline == Self.soon)
        let early = self.pendingRequests.expire(now: Self.soon - .nanoseconds(1))
        #expect(early.isEmpty)
        for handler in self.pendingRequests.expire(now: Self.soon) { handler(.failure(.closed)) }
        #expect(self.told.answers == ["2 closed", "3 closed"])
        #expect(self.pendingRequests.nextDeadline == Self.later)
        _ = self.pendingRequests.expire(now: .distantFuture)
        #expect(self.pendingRequests.nextDeadline == nil)
        #expect(self.pendingRequests.wantConnection)
    }

    @Test mutating func `at the end all are told, in the order asked`() {
        self.add(2, .dropped)
        self.add(3, .fails)
        self.add(1, .repeated, deadline: nil)
        for handler in self.pendingRequests.removeAll() { handler(.failure(.closed)) }
        #expect(self.told.answers == ["1 closed", "2 closed", "3 closed"])
        let rest = self.pendingRequests.removeAll()
        #expect(rest.isEmpty)
        #expect(!self.pendingRequests.wantConnection)
    }
}
