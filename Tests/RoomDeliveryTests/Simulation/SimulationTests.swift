import Foundation
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Whole brokers in memory with a seed each, against promises 1, 2, 3 and 6 of the design.
///
/// `scripts/simulate` runs thousands of them, optimised. Runs that have failed once are in `KeptRunTests`.
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// `ROOMLINE_STEPS`: those that were left when a failure was shrunk.
    private static var steps: StepList? { Self.environment["ROOMLINE_STEPS"].flatMap { StepList($0) } }

    @Test(arguments: TestSeeds.of(1...20))
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        Self.check(.many, seed)
    }

    @Test(arguments: TestSeeds.of(1...60))
    func `a few clients see one order, whatever happens around them`(seed: UInt64) {
        Self.check(.few, seed)
    }

    @Test(arguments: TestSeeds.of(1...60))
    func `what was acknowledged survives the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.crashes, seed)
    }

    @Test(arguments: TestSeeds.of(1...20))
    func `channels, bans and rules outlive the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.acts, seed)
    }

    @Test(arguments: TestSeeds.of(1...40))
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
