import RoomCore
import RoomModel
import RoomTestKit

/// What may happen in one simulated run, by its seed.
struct SimulationPlan: Equatable, Sendable {
    let seed: UInt64
    /// Calls of the store fail.
    let hasFaults: Bool
    /// Channels change while people are in them, and tokens are shown and expire.
    let hasChanges: Bool
    /// Messages are redacted and rooms cleared.
    let hasModeration: Bool
    /// Members are kicked, banned and muted, and rooms get rules.
    let hasSanctions: Bool
    /// The broker dies and comes again.
    let hasCrashes: Bool
    /// The machine's clock is set.
    let hasClockJumps: Bool
    /// Plain-text clients are there.
    let hasText: Bool
    /// Each shard has a loop of its own, and what one posts to another comes late.
    let hasHops: Bool
    let shards: Int
    /// Exports of rooms become the history of others.
    let hasImports: Bool
    /// Two nodes of a cluster.
    let hasNodes: Bool
    /// The store is found gone.
    let mayLoseLogs: Bool

    init(seed: UInt64, kind: SimulationKind) {
        let crashes = kind == .crashes || kind == .acts
        let hasNodes = kind == .nodes
        var random = SeededRandom(seed: seed ^ 0x7061_6c6e)
        self.seed = seed
        self.hasFaults = seed % 2 == 0
        // what administrators change is not in the logs yet
        self.hasChanges = seed % 3 != 0 && kind != .crashes && !hasNodes
        self.hasModeration = seed % 5 != 0
        self.hasSanctions = seed % 7 != 0 && kind != .crashes && !hasNodes
        self.hasCrashes = crashes
        self.hasClockJumps = random.chance(25) && !hasNodes
        self.hasText = random.chance(50)
        self.hasHops = random.chance(60)
        self.shards = 2 + random.below(3)
        self.hasImports = !self.hasChanges && random.chance(50) && !hasNodes
        self.hasNodes = hasNodes
        self.mayLoseLogs = self.hasFaults && seed % 4 == 0
    }

    /// What may happen, by the names of a run that was written down.
    private static let names: [(String, any KeyPath<Self, Bool> & Sendable)] = [
        ("faults", \.hasFaults), ("changes", \.hasChanges), ("moderation", \.hasModeration),
        ("sanctions", \.hasSanctions), ("crashes", \.hasCrashes), ("clock jumps", \.hasClockJumps),
        ("text", \.hasText), ("hops", \.hasHops), ("imports", \.hasImports), ("nodes", \.hasNodes),
        ("lost logs", \.mayLoseLogs),
    ]

    /// Reads what `text` has written.
    init?(_ text: String) {
        let words = text.split(separator: ",").map { $0.drop { $0 == " " } }
        let numbers = words.prefix(2).map { $0.split(separator: "=") }
        guard numbers.count == 2, numbers.allSatisfy({ $0.count == 2 }),
            numbers[0][0] == "seed", numbers[1][0] == "shards",
            let seed = UInt64(numbers[0][1]), let shards = Int(numbers[1][1]), shards > 0
        else { return nil }
        let said = Set(words.dropFirst(2).map(String.init))
        guard said.isSubset(of: Self.names.map(\.0)) else { return nil }
        self.seed = seed
        self.shards = shards
        self.hasFaults = said.contains("faults")
        self.hasChanges = said.contains("changes")
        self.hasModeration = said.contains("moderation")
        self.hasSanctions = said.contains("sanctions")
        self.hasCrashes = said.contains("crashes")
        self.hasClockJumps = said.contains("clock jumps")
        self.hasText = said.contains("text")
        self.hasHops = said.contains("hops")
        self.hasImports = said.contains("imports")
        self.hasNodes = said.contains("nodes")
        self.mayLoseLogs = said.contains("lost logs")
    }

    var text: String {
        (["seed=\(self.seed)", "shards=\(self.shards)"] + Self.names.filter { self[keyPath: $0.1] }.map(\.0))
            .joined(separator: ", ")
    }

    /// Draws what happens in one step: it has the same numbers whatever other steps a run has.
    func random(for step: Int) -> SeededRandom {
        var random = SeededRandom(seed: self.seed &* 0xd134_2543_de82_ef95 &+ UInt64(bitPattern: Int64(step)))
        return SeededRandom(seed: random.next())
    }

    static let rooms = [
        "test": ["alpha", "beta", "lobby", "observable-gamma"],
        "plain": ["alpha", "observable-delta"],
    ]

    /// Few enough messages to be trimmed all the time.
    static let channels: [ChannelSettings] = [
        .make("test", history: 40, grace: .seconds(2), authentication: .optional),
        .make("plain", history: nil, grace: .seconds(2), authentication: .optional),
    ]

    /// With crashes: in one of them nothing that was acknowledged may be lost, in the other one only with the machine.
    static let durableChannels: [ChannelSettings] = [
        channels[0].with { $0.durability = .power },
        channels[1].with {
            $0.history = HistorySettings(count: 200, age: .seconds(3_600))
            $0.durability = .process
        },
    ]

    static let limits: BrokerLimits = {
        var limits = BrokerLimits()
        limits.windowPerRoom = 6_000
        limits.windowTotal = 60_000
        return limits
    }()
}
