import RoomCore
import RoomModel
import RoomTestKit

/// What may happen in one simulated run, by its seed.
struct SimulationPlan {
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
    }

    /// The store is found gone.
    var mayLoseLogs: Bool { self.hasFaults && self.seed % 4 == 0 }

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
