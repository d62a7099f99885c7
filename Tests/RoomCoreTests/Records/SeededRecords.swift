import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCore

/// Records of every kind with random values, the same ones for the same seed.
struct SeededRecords {
    private var random: SeededRandom
    /// Whether there are requests for presence, which the first records did not have.
    private let asksPresence: Bool

    init(seed: UInt64, asksPresence: Bool = false) {
        self.random = SeededRandom(seed: seed)
        self.asksPresence = asksPresence
    }

    /// Each command of the core, by its name.
    static let kinds: [String] = [
        "publish", "join", "leave", "linger", "graceEnded", "update", "kick", "notice", "rules", "settings", "rename",
        "members", "history", "locate", "redact", "clear",
    ]

    mutating func record(of kinds: [String], room: String = "room") -> RoomRecord {
        RoomRecord(
            origin: self.maybe { RoomRecord.Origin(node: $0.node(), number: $0.number()) },
            room: RoomKey(channel: .make("test"), room: RoomName(room)),
            turn: RoomTurn(
                milliseconds: Int64(self.random.below(1 << 48)),
                steadyMilliseconds: Int64(self.random.below(1 << 48)),
                ids: IDSequence(
                    milliseconds: Int64(self.random.below(1 << 48)),
                    sequence: self.random.below(0x1001) - 1,
                    seed: self.random.next()
                ),
                hasPlace: self.random.chance(50)
            ),
            commands: kinds.map { self.command($0) }
        )
    }

    mutating func record() -> RoomRecord {
        let names = (0..<self.random.below(8)).map { _ in Self.kinds.randomElement(using: &self.random) ?? "publish" }
        return self.record(of: names, room: self.text())
    }

    mutating func command(_ kind: String) -> RoomCommand {
        switch kind {
        case "publish":
            .publish(
                PublishCommand(
                    origin: self.origin(),
                    sender: self.sender(),
                    message: self.bytes(),
                    messageID: self.maybe { $0.id() },
                    isEphemeral: self.random.chance(30),
                    echoes: self.random.chance(70),
                    author: self.maybe { $0.author() }
                )
            )
        case "join":
            .join(
                JoinCommand(
                    connection: self.connection(),
                    member: self.sender(),
                    clientID: ClientID(self.text()),
                    wireFormat: WireFormat.allCases.randomElement(using: &self.random) ?? .jsonLines,
                    start: self.start(),
                    historyDepth: self.random.chance(50) ? .max : self.random.below(1_000),
                    resumes: UInt32(self.random.below(3)),
                    isModerator: self.random.chance(30),
                    isRepeat: self.random.chance(30),
                    asksPresence: self.asksPresence ? self.maybe { $0.random.chance(50) } : nil
                )
            )
        case "leave": .leave(ClientID(self.text()), self.connection())
        case "linger": .linger(ClientID(self.text()), self.connection(), newest: self.maybe { $0.sender() })
        case "graceEnded": .graceEnded(ClientID(self.text()))
        case "update": .update(self.sender())
        case "kick":
            .kick(
                KickCommand(
                    client: ClientID(self.text()),
                    reason: self.maybe { $0.text() },
                    sender: self.sender(),
                    origin: self.origin()
                )
            )
        case "notice": .notice(NoticeCommand(self.notice(), by: self.sender(), origin: self.origin()))
        case "rules": .rules(self.rules())
        case "settings": .settings(self.settings(), epoch: Epoch(rawValue: self.random.next()))
        case "rename":
            .rename(
                RenameCommand(origin: self.origin(), sender: self.sender(), name: self.text(), author: self.author())
            )
        case "members": .members(self.origin())
        case "history": .history(self.origin(), self.request())
        case "locate": .locate(self.origin())
        case "redact":
            .redact(
                RedactCommand(
                    origin: self.origin(),
                    sender: self.sender(),
                    reason: self.maybe { $0.text() },
                    epoch: Epoch(rawValue: self.random.next()),
                    newest: self.number(),
                    tombstone: Tombstone(seq: self.number(), id: self.id(), tail: self.bytes())
                )
            )
        default: .clear(ClearCommand(origin: self.origin(), sender: self.sender()))
        }
    }

    // MARK: Parts

    private mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? {
        self.random.chance(50) ? value(&self) : nil
    }

    /// Of any length in bits.
    private mutating func number() -> UInt64 { self.random.next() >> UInt64(self.random.below(64)) }
    private mutating func id() -> UniqueID { UniqueID(high: self.random.next(), low: self.random.next()) }
    private mutating func node() -> NodeNumber { NodeNumber(rawValue: UInt32(truncatingIfNeeded: self.number())) }

    private mutating func text() -> String {
        let letters = ["a", "B", "7", "é", "✓", "\u{0}", "🙂", " "]
        return (0..<self.random.below(12)).map { _ in letters.randomElement(using: &self.random) ?? "a" }.joined()
    }

    private mutating func bytes() -> ByteBuffer {
        ByteBuffer(bytes: (0..<self.random.below(40)).map { _ in UInt8(truncatingIfNeeded: self.random.next()) })
    }

    private mutating func connection() -> ConnectionRef {
        let external: UInt64 = self.random.chance(30) ? 1 << 63 : 0
        return ConnectionRef(
            shard: self.random.below(64),
            number: self.number() | external,
            node: self.random.chance(50) ? .alone : self.node()
        )
    }

    private mutating func origin() -> Origin {
        Origin(
            connection: self.connection(),
            callback: self.maybe { Int64(bitPattern: $0.number()) * ($0.random.chance(50) ? 1 : -1) },
            isQuery: self.random.chance(30)
        )
    }

    private mutating func sender() -> Sender {
        let id = self.maybe { ClientID($0.text()) }
        return Sender(clientID: id, json: self.bytes(), jsonWithoutAuthData: self.maybe { $0.bytes() })
    }

    private mutating func author() -> Author {
        switch self.random.below(4) {
        case 0: .user(self.text())
        case 1: .network(IPAddress(high: self.random.next(), low: self.random.next()))
        case 2: .client(ClientID(self.text()))
        default: .local
        }
    }

    private mutating func start() -> JoinCommand.Start {
        switch self.random.below(3) {
        case 0: .live(historyCount: self.random.below(1_000))
        case 1: .since(Position(epoch: self.maybe { Epoch(rawValue: $0.random.next()) }, seq: self.number()))
        default:
            .resync(seq: self.number(), OverflowPolicy.allCases.randomElement(using: &self.random) ?? .latest)
        }
    }

    private mutating func notice() -> Notice {
        let kinds: [Notice.Kind?] = [nil, .locked, .unlocked, .slowMode(seconds: self.random.below(1_000))]
        return Notice(text: self.text(), kind: kinds[self.random.below(4)])
    }

    private mutating func rules() -> RoomRules {
        var rules = RoomRules()
        rules.isLocked = self.random.chance(50)
        rules.lockReason = self.maybe { $0.text() }
        rules.slowMode = self.maybe { 1 + $0.random.below(86_400) }
        rules.memberLimit = self.maybe { 1 + $0.random.below(1_000) }
        return rules
    }

    mutating func settings() -> RoomSettings {
        RoomSettings(
            version: Int64(self.random.below(1_000)),
            history: self.maybe {
                HistorySettings(count: 1 + $0.random.below(1_000), age: .milliseconds($0.random.below(1 << 40)))
            },
            presence: self.presence(),
            showsAuthData: self.random.chance(50),
            membersListed: self.random.chance(20) ? .max : self.random.below(1_000),
            memberListBytes: 1 << 20,
            memberLimit: self.maybe { $0.random.below(1_000) },
            roomLimit: self.random.below(1 << 20),
            publishKeys: 100_000,
            longestGrace: Int64(self.random.below(1 << 20))
        )
    }

    private mutating func presence() -> RoomPresence {
        if self.random.chance(50) { return .shown }
        return self.asksPresence && self.random.chance(50) ? .onRequest : .hidden
    }

    private mutating func request() -> HistoryRequest {
        let anchors: [HistoryRequest.Anchor] = [.newest, .before(self.number()), .after(self.number())]
        return HistoryRequest(
            room: RoomName(self.text()),
            anchor: anchors[self.random.below(3)],
            limit: self.maybe { 1 + $0.random.below(1_000) },
            depth: self.random.chance(50) ? .max : self.random.below(1_000)
        )
    }
}

extension RoomCommand {
    /// As `SeededRecords.kinds` names it; the compiler sees to it that none is missing here.
    var kind: String {
        switch self {
        case .publish: "publish"
        case .join: "join"
        case .leave: "leave"
        case .linger: "linger"
        case .graceEnded: "graceEnded"
        case .update: "update"
        case .kick: "kick"
        case .notice: "notice"
        case .rules: "rules"
        case .settings: "settings"
        case .rename: "rename"
        case .members: "members"
        case .history: "history"
        case .locate: "locate"
        case .redact: "redact"
        case .clear: "clear"
        }
    }
}
