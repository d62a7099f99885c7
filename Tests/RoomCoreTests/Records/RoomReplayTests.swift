import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// What records do to a room is the same in every process: the golden file was written by another one.
struct RoomReplayTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the same records do the same in another process`(seed: UInt64) throws {
        let lines = Self.outcomes(seed)
        #expect(lines == Self.outcomes(seed))
        try GoldenFile.expect(lines, "run-\(seed)")
    }

    /// What came of each 20 records, and of all before them.
    private static func outcomes(_ seed: UInt64) -> [String] {
        var run = SeededRun(seed: seed)
        var (hash, lines): (UInt64, [String]) = (StableHash.seed, [])
        for number in 1...600 {
            run.step()
            hash = StableHash.of(run.takeOutcome(), from: hash)
            guard number % 20 == 0 else { continue }
            let room = run.room
            lines.append("\(number) \(room.epoch) \(room.lastSeq) \(room.members.count) \(String(hash, radix: 16))")
        }
        return lines
    }
}

/// A room with members who come, talk and go, moderators and a store that fails at times, by a seed. All that reaches the room
/// comes out of the bytes of a record.
private struct SeededRun {
    private var random: SeededRandom
    private(set) var room: Room
    private var outcome = ""
    private var time: Int64 = 1_763_697_600_000
    private var connections: UInt64 = 0
    private var members: [String: ConnectionRef] = [:]
    /// As the store has it.
    private var stored = (epoch: UInt64(7), seq: UInt64(0))

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
        let key = RoomKey.make("observable-room")
        let channel = RoomChannel(settings: .make(history: seed % 2 == 0 ? nil : 100))
        self.room = Room(key: key, channel: channel, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
    }

    mutating func takeOutcome() -> String {
        defer { self.outcome = "" }
        return self.outcome
    }

    mutating func step() {
        self.time += Int64(self.random.below(3_000))
        let turn = RoomTurn(
            milliseconds: self.time,
            steadyMilliseconds: self.time - 5_000,
            ids: IDSequence(milliseconds: self.time, seed: self.random.next()),
            hasPlace: self.random.chance(95)
        )
        let commands = (0...self.random.below(5)).map { _ in self.command() }
        let record = RoomRecord(room: self.room.key, turn: turn, commands: commands)
        guard let read = try? RoomRecord(decoding: record.encoded) else {
            self.outcome += "the record cannot be read"
            return
        }
        for command in read.commands {
            if let refusal = self.room.enqueue(command) { self.outcome += Rendering.text(of: refusal) }
        }
        while self.advance(read.turn) {}
    }

    private mutating func advance(_ turn: RoomTurn) -> Bool {
        defer { self.room.adoptNextSettings() }
        switch self.room.advance() {
        case .none: return false
        case .open: self.open()
        case .clear:
            self.stored = (self.random.next(), 0)
            if self.room.cleared(epoch: Epoch(rawValue: self.random.next())) { self.open() }
        case .take:
            let batch = self.room.takeBatch(turn)
            self.outcome += Rendering.text(of: (batch.entries, batch.answers, batch.tombstones, batch.turn.ids))
            if batch.needsCommit { self.commit() }
        }
        return true
    }

    private mutating func open() {
        guard self.random.chance(90) else { return self.room.openFailed() }
        self.room.opened(.make(epoch: self.stored.epoch, lastSeq: self.stored.seq))
    }

    private mutating func commit() {
        guard self.random.chance(90) else { return self.room.commitFailed() }
        self.stored.seq = self.room.lastSeq
        self.room.committed(AppendReceipt(oldestSeq: max(1, self.stored.seq) - min(self.stored.seq, 1)))
    }

    private mutating func command() -> RoomCommand {
        let name = ["ann", "bob", "cid", "dan", "eve", "fay"].randomElement(using: &self.random) ?? "ann"
        let (client, origin) = (ClientID(name), Origin(connection: self.members[name] ?? .make(0), callback: 1))
        let sender = Sender.make(name, data: "\(self.random.below(3))")
        switch self.random.below(20) {
        case 0..<4:
            self.connections += 1
            let node = NodeNumber(rawValue: UInt32(self.random.below(3)))
            let ref = ConnectionRef(shard: self.random.below(4), number: self.connections, node: node)
            self.members[name] = ref
            let formats = WireFormat.allCases
            let since = JoinCommand.Start.since(Position(epoch: self.room.epoch, seq: 1))
            return .join(
                JoinCommand(
                    connection: ref,
                    member: sender,
                    clientID: client,
                    wireFormat: formats[self.random.below(formats.count)],
                    start: self.random.chance(30) ? since : .live(historyCount: 2)
                )
            )
        case 4: return .leave(client, origin.connection)
        case 5: return .linger(client, origin.connection, newest: self.random.chance(50) ? sender : nil)
        case 6: return .graceEnded(client)
        case 7: return .update(sender)
        case 8:
            return .kick(KickCommand(client: client, reason: "why", sender: .make("mod"), origin: origin))
        case 9:
            var rules = RoomRules()
            rules.isLocked = self.random.chance(20)
            rules.slowMode = self.random.chance(50) ? 1 + self.random.below(5) : nil
            rules.memberLimit = self.random.chance(30) ? 1 + self.random.below(4) : nil
            return .rules(rules)
        case 10 where self.random.chance(30):
            let settings = ChannelSettings.make(history: self.random.chance(50) ? nil : 50).with {
                $0.presence = self.random.chance(50) ? .all : .prefix
                $0.membersListed = self.random.chance(30) ? 2 : nil
            }
            let channel = RoomChannel(settings: settings)
            let epoch = Epoch(rawValue: self.random.next())
            return .settings(channel.roomSettings(of: self.room.key.room, BrokerLimits()), epoch: epoch)
        case 11 where self.random.chance(30): return .clear(ClearCommand(origin: origin, sender: .make("mod")))
        case 12: return .members(origin)
        case 13:
            let tombstone = Tombstone(seq: 1, id: .make(1), tail: ByteBuffer(string: "gone"))
            let epoch = self.room.epoch
            return .redact(
                RedactCommand(
                    origin: origin,
                    sender: .make("mod"),
                    reason: nil,
                    epoch: epoch,
                    newest: .max,
                    tombstone: tombstone
                )
            )
        case 14: return .notice(NoticeCommand(Notice(text: "now"), by: .make("mod"), origin: origin))
        default:
            return .publish(
                PublishCommand(
                    origin: origin,
                    sender: sender,
                    message: ByteBuffer(string: "\(self.random.below(4))"),
                    messageID: self.random.chance(40) ? .make(UInt64(self.random.below(50))) : nil,
                    isEphemeral: self.random.chance(20),
                    author: self.random.chance(70) ? .client(client) : nil
                )
            )
        }
    }
}

/// All of a value as text, the same in every process: sets and dictionaries in the order of their text, bytes as what they are.
enum Rendering {
    static func text(of value: Any) -> String {
        if let bytes = value as? ByteBuffer { return "'\(String(buffer: bytes))'" }
        let mirror = Mirror(reflecting: value)
        let parts = mirror.children.map { child in (child.label.map { $0 + ":" } ?? "") + self.text(of: child.value) }
        switch mirror.displayStyle {
        case .set, .dictionary: return "{" + parts.sorted().joined(separator: ",") + "}"
        case .enum where !parts.isEmpty: return "(" + parts.joined(separator: ",") + ")"
        case _ where parts.isEmpty: return "\(value)"
        default: return "[" + parts.joined(separator: ",") + "]"
        }
    }
}
