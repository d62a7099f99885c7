import Foundation
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Whole brokers in memory with a seed each, against promises 1, 2, 3 and 6 of the design.
///
/// `scripts/simulate` runs thousands of them, optimised.
struct SimulationTests {
    /// Seeds that have failed once, and are tried in each kind of run.
    private static let failed: [UInt64] = [
        156, 217, 288, 300, 346, 370, 420, 484, 528, 11_250, 11_944, 11_965, 12_220, 13_766, 16_724,
        17_635, 17_966, 17_994, 20_864, 22_096,
    ]
    /// Those that have failed once in runs of this kind.
    private static let failedIn: [SimulationKind: [UInt64]] = [
        .few: [
            25_936, 33_246, 44_114, 48_924, 51_984, 104_370, 104_532, 113_463, 151_956, 231_045, 251_093,
            257_304, 265_476, 292_136, 295_200, 900_114,
        ],
        .crashes: [158, 12_518, 16_560, 26_416, 27_992, 35_122, 36_612, 36_950],
        .acts: [4_794, 6_067, 8_692, 10_439, 13_198, 17_531, 19_871, 23_123, 37_904],
        .nodes: [60, 82, 104, 108, 113, 157, 158, 170, 214, 242, 272, 300, 398, 556, 672],
    ]

    private static let environment = ProcessInfo.processInfo.environment

    /// These and the ones that have failed, or those of `ROOMLINE_SEEDS`: `44` for one that failed, `1-500` for a long run.
    private static func seeds(_ usual: ClosedRange<UInt64>, _ kind: SimulationKind) -> [UInt64] {
        guard let text = Self.environment["ROOMLINE_SEEDS"] else {
            let failed = Self.failed + (Self.failedIn[kind] ?? [])
            return Array(usual) + failed.filter { !usual.contains($0) }
        }
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return [] }
        return Array(first...last)
    }

    /// `ROOMLINE_STEPS`: those that were left when a failure was shrunk.
    private static var steps: StepList? { Self.environment["ROOMLINE_STEPS"].flatMap { StepList($0) } }

    @Test(arguments: Self.seeds(1...20, .many))
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        Self.check(.many, seed)
    }

    @Test(arguments: Self.seeds(1...60, .few))
    func `a few clients see one order, whatever happens around them`(seed: UInt64) {
        Self.check(.few, seed)
    }

    @Test(arguments: Self.seeds(1...60, .crashes))
    func `what was acknowledged survives the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.crashes, seed)
    }

    @Test(arguments: Self.seeds(1...20, .acts))
    func `channels, bans and rules outlive the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.acts, seed)
    }

    @Test(arguments: Self.seeds(1...40, .nodes))
    func `the clients of two nodes see one order, whatever becomes of logs and disks`(seed: UInt64) {
        Self.check(.nodes, seed)
    }

    @Test(arguments: [SimulationKind.few, .crashes, .nodes])
    func `nothing is left of a run that is over`(kind: SimulationKind) {
        weak var broker: TestBroker?
        weak var shard: RoomShard?
        weak var engine: MemoryEngine?
        weak var ledger: Ledger?
        do {
            var simulation = kind.simulation(seed: 4)
            (broker, engine, ledger) = (simulation.broker, simulation.broker.engine, simulation.ledger)
            shard = simulation.broker.shards.first?.onLoop
            simulation.run()
        }
        #expect(broker == nil)
        #expect(shard == nil)
        #expect(engine == nil)
        #expect(ledger == nil)
    }

    private static func check(_ kind: SimulationKind, _ seed: UInt64) {
        if let failure = SimulationFailure(kind, seed: seed, steps: Self.steps) { Issue.record("\(failure)") }
    }
}
