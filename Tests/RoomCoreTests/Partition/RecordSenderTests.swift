import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// What a sender does with records that are lost, late or seen twice, at times that the tests set.
struct RecordSenderTests {
    private static let room = RoomKey.make()
    private static let second: UInt64 = 1_000_000_000
    private static let millisecond: UInt64 = 1_000_000

    private var sender = RecordSender(node: NodeNumber(rawValue: 7))
    private var now: UInt64 = 1_000 * Self.second

    /// Each in a record of its own.
    private mutating func send(_ callbacks: ClosedRange<Int64>) throws -> [PartitionRecord] {
        try callbacks.flatMap { callback in
            #expect(self.sender.add(.publish(.make(callback: callback)), in: Self.room, now: self.now) == nil)
            return try Self.records(self.sender.flush(now: self.now))
        }
    }

    private mutating func see(_ record: PartitionRecord, counts: Bool = true) throws -> [PartitionRecord] {
        let seen = self.sender.recordSeen(
            number: record.number,
            attempt: record.attempt,
            counts: counts,
            now: self.now
        )
        #expect(!seen.wasAnswered)
        return try Self.records(seen.actions)
    }

    /// Lets time pass until the sender's deadline.
    private mutating func passTime() throws -> [RecordSender.Action] {
        self.now = try #require(self.sender.deadline)
        return self.sender.timePassed(now: self.now)
    }

    private static func records(_ actions: [RecordSender.Action]) throws -> [PartitionRecord] {
        try actions.map { action in
            guard case .append(let bytes) = action else { throw UnexpectedAction(action: action) }
            return try PartitionRecord(decoding: bytes)
        }
    }

    private struct UnexpectedAction: Error {
        let action: RecordSender.Action
    }

    private static func callbacks(_ record: PartitionRecord) -> [Int64] {
        guard case .commands(let entries) = record.content else { return [] }
        return entries.compactMap { entry in
            guard case .publish(let publish) = entry.command else { return nil }
            return publish.origin.callback
        }
    }

    private static func callbacks(_ answers: [RecordSender.Answer]) -> [Int64] {
        answers.compactMap { answer in
            guard case .refused(let origin, let error) = answer.answer.content, error.code == .storageUnavailable else {
                return nil
            }
            return origin.callback
        }
    }

    // MARK: Gathering

    @Test mutating func `eight records are on their way, what comes meanwhile makes the next one`() throws {
        let sent = try self.send(1...20)
        #expect(sent.map(\.number) == Array(1...8))
        #expect(sent.map(Self.callbacks) == (1...8).map { [$0] })
        let next = try self.see(sent[0])
        #expect(next.map(\.number) == [9])
        #expect(next.map(Self.callbacks) == [Array(9...20)])
        for record in sent.dropFirst() + next { #expect(try self.see(record).isEmpty) }
        #expect(self.sender.isIdle)
        #expect(self.sender.deadline == nil)
    }

    @Test mutating func `only a record of one command is larger than 128 KiB`() throws {
        let text = String(repeating: "x", count: 10_000)
        let large = String(repeating: "y", count: PartitionRecord.largest)
        var added: [PartitionRecord.Command] = []
        for number in 0..<100 {
            let room = RoomKey.make(String(repeating: "r", count: number % 7 + 1))
            let command = RoomCommand.publish(.make(number == 50 ? large : text, callback: Int64(number)))
            added.append(PartitionRecord.Command(command, in: room))
            #expect(self.sender.add(added[number], now: self.now) == nil)
        }
        var read: [PartitionRecord.Command] = []
        var actions = self.sender.flush(now: self.now)
        while !actions.isEmpty {
            var next: [RecordSender.Action] = []
            for action in actions {
                guard case .append(let bytes) = action else { throw UnexpectedAction(action: action) }
                let record = try PartitionRecord(decoding: bytes)
                guard case .commands(let entries) = record.content else { continue }
                #expect(bytes.readableBytes <= PartitionRecord.largest || entries.count == 1)
                #expect(entries.count <= 13)
                read += entries
                next += try self.see(record).map { .append($0.encoded) }
            }
            actions = next
        }
        #expect(read == added)
    }

    @Test mutating func `ticks and dead nodes are records in the same order`() throws {
        #expect(self.sender.add(.publish(.make(callback: 1)), in: Self.room, now: self.now) == nil)
        self.sender.addTick(now: self.now)
        self.sender.addGone(NodeNumber(rawValue: 9), now: self.now)
        #expect(self.sender.add(.publish(.make(callback: 2)), in: Self.room, now: self.now) == nil)
        let records = try Self.records(self.sender.flush(now: self.now))
        #expect(records.map(\.number) == [1, 2, 3, 4])
        #expect(records.map(Self.callbacks) == [[1], [], [], [2]])
        #expect(records[1].content == .tick)
        #expect(records[2].content == .gone(NodeNumber(rawValue: 9)))
    }

    // MARK: Sending again

    @Test mutating func `the oldest is sent again after 250 ms, then in vain after 500 ms and each second`() throws {
        let start = self.now
        _ = try self.send(1...3)
        for (wait, attempt) in [(250, 1), (500, 2), (1_000, 3), (1_000, 4)] as [(UInt64, UInt8)] {
            #expect(try #require(self.sender.deadline) == self.now + wait * Self.millisecond)
            #expect(self.sender.timePassed(now: self.now + wait * Self.millisecond - 1).isEmpty)
            let again = try Self.records(self.passTime())
            #expect(again.map(\.number) == [1])
            #expect(again.map(\.attempt) == [attempt])
        }
        #expect(self.now - start == 2_750 * Self.millisecond)
    }

    @Test mutating func `what was sent before a copy that comes, and has not counted, is sent again`() throws {
        let sent = try self.send(1...4)
        let again = try Self.records(self.passTime())
        let late = try self.send(5...5)
        // 1 was lost; 2, 3 and 4 stand before it in the log, so they do not count
        for record in sent.dropFirst() { #expect(try self.see(record, counts: false).isEmpty) }
        let repeats = try self.see(again[0])
        #expect(repeats.map(\.number) == [2, 3, 4])
        #expect(repeats.map(\.attempt) == [1, 1, 1])
        // what was sent behind the copy may come yet, and does not count before the others
        #expect(try self.see(late[0], counts: false).isEmpty)
        // a copy that was sent behind 5 says that 5 was ignored
        #expect(try self.see(repeats[0]).map(\.number) == [5])
        #expect(try self.see(repeats[1]).isEmpty)
        #expect(try self.see(repeats[2]).isEmpty)
    }

    @Test mutating func `nothing else is sent again where the log was only slow`() throws {
        let sent = try self.send(1...8)
        let again = try Self.records(self.passTime())
        for record in sent { #expect(try self.see(record).isEmpty) }
        #expect(try self.see(again[0], counts: false).isEmpty)
        #expect(self.sender.isIdle)
    }

    @Test mutating func `an earlier copy says nothing of what was sent before the latest one`() throws {
        _ = try self.send(1...2)
        let first = try Self.records(self.passTime())
        _ = try Self.records(self.passTime())
        #expect(try self.see(first[0], counts: false).isEmpty)
    }

    @Test mutating func `the sender waits four times as long as the log needs, 5 s at most`() throws {
        for callback in 1...200 as ClosedRange<Int64> {
            let sent = try self.send(callback...callback)
            self.now += 200 * Self.millisecond
            _ = try self.see(sent[0])
        }
        _ = try self.send(201...201)
        let patience = try #require(self.sender.deadline) - self.now
        #expect((790 * Self.millisecond...800 * Self.millisecond).contains(patience))
        for callback in 202...400 as ClosedRange<Int64> {
            self.now += 3 * Self.second
            let number = UInt64(callback) - 1
            _ = try self.see(PartitionRecord(node: NodeNumber(rawValue: 7), number: number, content: .tick))
            _ = try self.send(callback...callback)
        }
        #expect(try #require(self.sender.deadline) == self.now + 5 * Self.second)
    }

    // MARK: Unknown outcomes

    @Test mutating func `after 15 s the outcome is unknown, and the record is sent until it counts`() throws {
        let (start, sent) = (self.now, try self.send(1...2))
        var answered: [Int64] = []
        while answered.isEmpty {
            for case .answer(let answers) in try self.passTime() { answered += Self.callbacks(answers) }
        }
        #expect(answered == [1, 2])
        #expect(self.now == start + 15 * Self.second)
        let again = try Self.records(self.passTime())
        #expect(again.map(\.number) == [1])
        // what comes later has its own time
        _ = try self.send(3...3)
        let first = self.sender.recordSeen(number: 1, attempt: again[0].attempt, counts: true, now: self.now)
        #expect(first.wasAnswered)
        #expect(try Self.records(first.actions).map(\.number) == [2])
        #expect(self.sender.recordSeen(number: 2, attempt: 1, counts: true, now: self.now).wasAnswered)
        #expect(!self.sender.recordSeen(number: 3, attempt: 0, counts: true, now: self.now).wasAnswered)
        #expect(sent.count == 2 && self.sender.isIdle)
    }

    @Test mutating func `what waits for its turn to be sent is answered after 15 s too`() throws {
        _ = try self.send(1...8)
        var (answers, added): ([Int64: UInt64], [Int64: UInt64]) = ([:], [:])
        for callback in 9...100 as ClosedRange<Int64> {
            self.now += 300 * Self.millisecond
            for case .answer(let late) in self.sender.timePassed(now: self.now) {
                for callback in Self.callbacks(late) { answers[callback] = self.now }
            }
            added[callback] = self.now
            #expect(try self.send(callback...callback).isEmpty)
        }
        #expect(answers.count > 40)
        for (callback, time) in answers {
            // a record gathers for a second, and the test looks every 300 ms
            let wait = time - (added[callback] ?? time - 15 * Self.second)
            #expect((14 * Self.second - 1...15_300 * Self.millisecond).contains(wait), "\(callback)")
        }
    }

    @Test mutating func `a node that is gone answers all and sends nothing more`() throws {
        let sent = try self.send(1...10)
        #expect(try self.see(sent[0]).map(Self.callbacks) == [[9, 10]])
        _ = try self.send(11...11)
        #expect(Self.callbacks(self.sender.nodeGone()) == Array(2...11))
        #expect(self.sender.isGone && self.sender.isIdle)
        #expect(self.sender.nodeGone().isEmpty)
        let refusal = self.sender.add(.publish(.make(callback: 12)), in: Self.room, now: self.now)
        #expect(refusal?.content.error?.code == .storageUnavailable)
        self.sender.addTick(now: self.now)
        #expect(self.sender.flush(now: self.now).isEmpty)
        #expect(try self.see(sent[1], counts: false).isEmpty)
        #expect(self.sender.deadline == nil)
    }

    @Test mutating func `a node that does not follow the log any more answers all, as of unknown outcome`() throws {
        _ = try self.send(1...2)
        let answers = self.sender.logEnded()
        #expect(Self.callbacks(answers) == [1, 2])
        let refusal = self.sender.add(.publish(.make(callback: 3)), in: Self.room, now: self.now)
        #expect(try #require(refusal).content.error != answers[0].answer.content.error)
        #expect(self.sender.isGone && self.sender.isIdle && self.sender.deadline == nil)
    }

    @Test mutating func `the answer to a join names the room`() {
        #expect(self.sender.add(.join(.make()), in: .make("a"), now: self.now) == nil)
        #expect(self.sender.nodeGone().map(\.answer.content.error?.room) == [RoomName("a")])
        #expect(self.sender.add(.join(.make()), in: .make("b"), now: self.now)?.content.error?.room == RoomName("b"))
    }
}
