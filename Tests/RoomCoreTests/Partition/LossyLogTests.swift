import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// Senders against a log that loses, repeats, delays and mixes up what they append, and stops for up to 20 s: whatever it does,
/// each command counts once, in its order, on all nodes alike, and is answered once.
struct LossyLogTests {
    @Test(arguments: TestSeeds.of(1...8))
    func `each command counts once and in order, and is answered once`(seed: UInt64) throws {
        var run = LossyRun(seed: seed)
        try run.go()
        #expect(run.isIdle, "seed \(seed)")
        for node in run.nodes {
            #expect(node.applied[node.number] == node.added, "seed \(seed)")
            #expect(node.applied == run.nodes[0].applied, "seed \(seed)")
            #expect(node.accepted == run.nodes[0].accepted, "seed \(seed)")
            #expect(node.answers.keys.sorted() == node.added, "seed \(seed)")
            #expect(node.answers.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        }
    }

    @Test(arguments: TestSeeds.of(1...8))
    func `of a node that is called gone a beginning counts, on all nodes alike`(seed: UInt64) throws {
        var run = LossyRun(seed: seed, goneAfter: 100 + Int(seed % 300))
        try run.go()
        #expect(run.isIdle, "seed \(seed)")
        let gone = run.nodes[1]
        #expect(gone.sender.isGone, "seed \(seed)")
        let applied = gone.applied[gone.number] ?? []
        #expect(applied == Array(gone.added.prefix(applied.count)), "seed \(seed)")
        #expect(gone.answers.keys.sorted() == gone.added, "seed \(seed)")
        #expect(gone.answers.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        // what it was told that it was not stored was not
        #expect(gone.notStored.isDisjoint(with: applied), "seed \(seed)")
        for node in run.nodes {
            #expect(node.applied == run.nodes[0].applied, "seed \(seed)")
            #expect(node.accepted == run.nodes[0].accepted, "seed \(seed)")
        }
    }

    /// The tests above mean something only if all of it happens.
    @Test func `the log loses, repeats, mixes up and waits`() throws {
        var (ignored, late, holes) = (0, 0, 0)
        for seed in 1...6 as ClosedRange<UInt64> {
            var run = LossyRun(seed: seed)
            try run.go()
            ignored += run.nodes[0].ignored
            holes += run.nodes[0].holes
            late += run.nodes.map(\.late).reduce(0, +)
        }
        #expect(ignored > 100, "\(ignored)")
        #expect(holes > 20, "\(holes)")
        #expect(late > 20, "\(late)")
    }
}

/// Three nodes over one log.
private struct LossyRun {
    private var random: SeededRandom
    private(set) var nodes: [LossyNode]
    private var log: LossyLog
    private var now: UInt64 = 0
    private let goneAfter: Int?

    private static let millisecond: UInt64 = 1_000_000
    /// In which commands come.
    private static let steps = 400

    /// - Parameter goneAfter: after so many steps the first node says that the second one is gone.
    init(seed: UInt64, goneAfter: Int? = nil) {
        self.random = SeededRandom(seed: seed)
        self.log = LossyLog(seed: self.random.next())
        self.goneAfter = goneAfter
        self.nodes = (1...3).map { LossyNode(NodeNumber(rawValue: $0)) }
    }

    var isIdle: Bool { self.nodes.allSatisfy { $0.sender.isIdle && $0.place == self.log.records.count } }

    mutating func go() throws {
        for step in 0..<Self.steps {
            try self.step(step, addsCommands: true)
        }
        for step in Self.steps..<20_000 where !self.isIdle || !self.log.isIdle {
            try self.step(step, addsCommands: false)
        }
    }

    private mutating func step(_ step: Int, addsCommands: Bool) throws {
        self.now += UInt64(1 + self.random.below(100)) * Self.millisecond
        if addsCommands, self.random.below(200) == 0 { self.log.elect(at: self.now) }
        if step == self.goneAfter { self.nodes[0].sender.addGone(self.nodes[1].number, now: self.now) }
        for index in self.nodes.indices {
            if addsCommands { self.nodes[index].add(self.random.below(4), now: self.now) }
            self.append(self.nodes[index].flush(now: self.now))
            self.append(self.nodes[index].passTime(now: self.now))
        }
        self.log.store(at: self.now)
        for index in self.nodes.indices where self.random.chance(70) {
            for _ in 0..<(1 + self.random.below(5)) where self.nodes[index].place < self.log.records.count {
                let record = self.log.records[self.nodes[index].place]
                self.append(try self.nodes[index].see(record, now: self.now))
            }
        }
    }

    private mutating func append(_ records: [ByteBuffer]) {
        for bytes in records { self.log.append(bytes, at: self.now) }
    }
}

/// A sender and what its node makes of the log.
private struct LossyNode {
    let number: NodeNumber
    var sender: RecordSender
    var accepted = AcceptedRecords()
    /// So many records of the log were seen.
    var place = 0
    /// The commands, named by a number each.
    var added: [Int64] = []
    var applied: [NodeNumber: [Int64]] = [:]
    /// How often each command was answered.
    var answers: [Int64: Int] = [:]
    var notStored: Set<Int64> = []
    var ignored = 0
    /// Records that stood in the log before the one that belongs before them.
    var holes = 0
    /// Commands that counted after their answer.
    var late = 0

    init(_ number: NodeNumber) {
        self.number = number
        self.sender = RecordSender(node: number)
    }

    mutating func add(_ count: Int, now: UInt64) {
        for _ in 0..<count {
            let name = Int64(self.added.count + 1)
            let room = RoomKey.make("room-\(name % 3)")
            let refusal = self.sender.add(.publish(.make(callback: name)), in: room, now: now)
            self.added.append(name)
            if let refusal { self.notStored.formUnion(self.answer([refusal])) }
        }
    }

    mutating func flush(now: UInt64) -> [ByteBuffer] { self.perform(self.sender.flush(now: now)) }

    /// A sender is called at its deadline only.
    mutating func passTime(now: UInt64) -> [ByteBuffer] {
        guard let deadline = self.sender.deadline, deadline <= now else { return [] }
        let records = self.perform(self.sender.timePassed(now: now))
        #expect(self.sender.deadline.map { $0 > now } ?? true)
        return records
    }

    mutating func see(_ stored: LossyLog.Record, now: UInt64) throws -> [ByteBuffer] {
        let record = try PartitionRecord(decoding: stored.bytes)
        if let next = self.accepted.nextNumber(of: record.node), record.number > next { self.holes += 1 }
        self.place += 1
        let place = LogOffset(rawValue: UInt64(self.place))
        let outcome = self.accepted.take(record, at: place, time: stored.time)
        let commands = Self.commands(record)
        if outcome == .ignored {
            self.ignored += 1
        } else {
            self.applied[record.node, default: []] += commands
        }
        if outcome == .ends(self.number) {
            self.notStored.formUnion(self.answer(self.sender.nodeGone().map(\.answer)))
        }
        guard record.node == self.number else { return [] }
        let seen = self.sender.recordSeen(
            number: record.number,
            attempt: record.attempt,
            counts: outcome != .ignored,
            now: now
        )
        if seen.wasAnswered {
            self.late += commands.count
        } else if outcome != .ignored {
            for command in commands { self.answers[command, default: 0] += 1 }
        }
        return self.perform(seen.actions)
    }

    private mutating func perform(_ actions: [RecordSender.Action]) -> [ByteBuffer] {
        actions.compactMap { action in
            switch action {
            case .append(let bytes): return bytes
            case .answer(let answers):
                self.answer(answers.map(\.answer))
                return nil
            }
        }
    }

    @discardableResult
    private mutating func answer(_ answers: [RoomAnswer]) -> [Int64] {
        answers.compactMap { answer in
            guard case .refused(let origin, _) = answer.content, let command = origin.callback else { return nil }
            self.answers[command, default: 0] += 1
            return command
        }
    }

    private static func commands(_ record: PartitionRecord) -> [Int64] {
        guard case .commands(let entries) = record.content else { return [] }
        return entries.compactMap { entry in
            guard case .publish(let publish) = entry.command else { return nil }
            return publish.origin.callback
        }
    }
}
