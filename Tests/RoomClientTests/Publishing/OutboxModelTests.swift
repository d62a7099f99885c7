import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

/// Random lives of an outbox beside a naive one.
struct OutboxModelTests {
    /// Everything in one array, in the order given.
    private struct Model {
        struct Entry {
            let ticket: UInt64
            let room: RoomName
            let size: Int
            let deadline: NIODeadline
            var state = State.unsent
        }

        enum State: Equatable {
            case unsent
            case sent
            case refused
        }

        var entries: [Entry] = []

        var bytes: Int { self.entries.reduce(0) { $0 + $1.size } }

        mutating func set(_ ticket: UInt64, _ state: State) {
            guard let index = self.entries.firstIndex(where: { $0.ticket == ticket }) else { return }
            self.entries[index].state = state
        }
    }

    private struct Run {
        var random: SeededRandom
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var outbox = Outbox(
            limit: .init(count: 20, bytes: 2_000),
            backoff: Backoff(base: .seconds(1), cap: .seconds(4))
        )
        var model = Model()
        var lastTicket: UInt64 = 0

        mutating func step() throws {
            switch self.random.below(8) {
            case 0, 1, 2: self.add()
            case 3: try self.send()
            case 4: try self.answer()
            case 5: try self.refuse()
            case 6: try self.passTime()
            default: if self.random.chance(20) { self.lose() }
            }
            let model = self.model
            try #require(self.outbox.count == model.entries.count)
            try #require(self.outbox.bytes == model.bytes)
            try #require(self.outbox.isEmpty == model.entries.isEmpty)
        }

        private mutating func add() {
            let size = 8 + self.random.below(300)
            guard self.outbox.hasRoom(for: size) else { return }
            self.lastTicket += 1
            let deadline = self.now + .milliseconds(Int64(2_000 + self.random.below(20_000)))
            var frame = ByteBuffer(integer: self.lastTicket)
            frame.writeRepeatingByte(0, count: size - 8)
            let room = RoomName("room \(self.random.below(2))")
            self.outbox.add(frame, to: room, ticket: self.lastTicket, deadline: deadline)
            self.model.entries.append(.init(ticket: self.lastTicket, room: room, size: size, deadline: deadline))
        }

        /// Nothing goes out twice, nor past one of the same room that was refused.
        private mutating func send() throws {
            while let frame = self.outbox.next() {
                let ticket = try #require(frame.getInteger(at: frame.readerIndex, as: UInt64.self))
                let entry = try #require(self.model.entries.first { $0.ticket == ticket })
                try #require(entry.state != .sent)
                let before = self.model.entries.filter { $0.ticket < ticket && $0.room == entry.room }
                try #require(!before.contains { $0.state == .refused })
                self.model.set(ticket, .sent)
            }
            let refused = Set(self.model.entries.filter { $0.state == .refused }.map(\.room))
            guard refused.isEmpty, !self.outbox.holdsBack else { return }
            try #require(!self.model.entries.contains { $0.state == .unsent })
        }

        /// The broker takes everything from now on: all of it goes out.
        mutating func drain() throws {
            for _ in 0..<100 where !self.outbox.isEmpty {
                try self.passTime()
                try self.send()
                for entry in self.model.entries where entry.state == .sent { _ = self.outbox.remove(entry.ticket) }
                self.model.entries.removeAll { $0.state == .sent }
            }
            try #require(self.outbox.isEmpty && !self.outbox.holdsBack)
        }

        private mutating func answer() throws {
            guard let entry = self.anyEntry(.sent) else { return }
            let wasKnown = self.outbox.remove(entry.ticket)
            try #require(wasKnown)
            self.model.entries.removeAll { $0.ticket == entry.ticket }
        }

        private mutating func refuse() throws {
            guard let entry = self.anyEntry(.sent) else { return }
            let refusal = self.outbox.refused(
                entry.ticket,
                retryAfter: .milliseconds(self.random.below(3_000)),
                jitter: Double(self.random.below(100)) / 100,
                now: self.now
            )
            switch refusal {
            case .again(let time):
                try #require(time < entry.deadline && time >= self.now)
                self.model.set(entry.ticket, .refused)
            case .final:
                _ = self.outbox.remove(entry.ticket)
                self.model.entries.removeAll { $0.ticket == entry.ticket }
            case .unknown:
                Issue.record("\(entry.ticket) is unknown")
            }
        }

        private mutating func passTime() throws {
            self.now = self.now + .milliseconds(Int64(self.random.below(1_500)))
            let now = self.now
            let late = self.model.entries.filter { $0.deadline <= now }.map(\.ticket)
            let expired = self.outbox.expire(now: now)
            try #require(expired == late)
            self.model.entries.removeAll { $0.deadline <= now }
            self.outbox.release(now: now)
        }

        private mutating func lose() {
            self.outbox.connectionLost()
            for index in self.model.entries.indices { self.model.entries[index].state = .unsent }
        }

        private mutating func anyEntry(_ state: Model.State) -> Model.Entry? {
            let entries = self.model.entries.filter { $0.state == state }
            return entries.isEmpty ? nil : entries[self.random.below(entries.count)]
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `nothing is lost, doubled or miscounted`(seed: UInt64) throws {
        var run = Run(random: SeededRandom(seed: seed))
        for _ in 0..<2_000 { try run.step() }
        try run.drain()
    }
}
