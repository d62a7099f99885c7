import Foundation
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Whole brokers in memory with a seed each, against promises 1, 2, 3 and 6 of the design.
///
/// A few of them: `scripts/test` runs hundreds, optimised, and `scripts/simulate` any number. Runs that have failed once are in
/// `KeptRunTests`.
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// These, or those of `ROOMLINE_SEEDS`: `44` for one that failed, `1-500` for a long run.
    private static func seeds(_ usual: ClosedRange<UInt64>) -> [UInt64] {
        guard let text = Self.environment["ROOMLINE_SEEDS"] else { return Array(usual) }
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return [] }
        return Array(first...last)
    }

    /// `ROOMLINE_STEPS`: those that were left when a failure was shrunk.
    private static var steps: StepList? { Self.environment["ROOMLINE_STEPS"].flatMap { StepList($0) } }

    @Test(arguments: Self.seeds(1...1))
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        Self.check(.many, seed)
    }

    @Test(arguments: Self.seeds(1...6))
    func `a few clients see one order, whatever happens around them`(seed: UInt64) {
        Self.check(.few, seed)
    }

    @Test(arguments: Self.seeds(1...6))
    func `what was acknowledged survives the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.crashes, seed)
    }

    @Test(arguments: Self.seeds(1...4))
    func `channels, bans and rules outlive the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(.acts, seed)
    }

    @Test(arguments: Self.seeds(1...4))
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
