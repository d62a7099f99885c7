import Foundation
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Whole brokers in memory with a seed each, against promises 1, 2, 3 and 6 of the design.
///
/// `scripts/simulate` runs thousands of them, optimised.
struct SimulationTests {
    /// Seeds that have failed once.
    private static let failed: [UInt64] = [
        156, 217, 288, 300, 346, 370, 420, 484, 528, 11_250, 11_944, 11_965, 12_220, 13_766, 16_724,
        17_635, 17_966, 17_994, 20_864, 22_096,
    ]

    private static let environment = ProcessInfo.processInfo.environment

    /// These and the ones that have failed, or those of `ROOMLINE_SEEDS`: `44` for one that failed, `1-500` for a long run.
    private static func seeds(_ usual: ClosedRange<UInt64>) -> [UInt64] {
        guard let text = Self.environment["ROOMLINE_SEEDS"] else {
            return Array(usual) + self.failed.filter { !usual.contains($0) }
        }
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return [] }
        return Array(first...last)
    }

    /// `ROOMLINE_STEPS`: those that were left when a failure was shrunk.
    private static var steps: StepList? { Self.environment["ROOMLINE_STEPS"].flatMap { StepList($0) } }

    @Test(arguments: Self.seeds(1...20))
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        Self.check(.many, seed)
    }

    @Test(arguments: Self.seeds(1...60))
    func `a few clients see one order, whatever happens around them`(seed: UInt64) {
        Self.check(.few, seed)
    }

    @Test(arguments: Self.seeds(1...60))
    func `what was acknowledged survives the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.crashes, seed)
    }

    @Test(arguments: Self.seeds(1...20))
    func `channels, bans and rules outlive the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.acts, seed)
    }

    @Test(arguments: [SimulationKind.few, .crashes])
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
