import Foundation
import RoomTestKit
import Testing

/// Whole brokers in memory, each with two hundred clients and a seed, against promises 1, 3 and 6 of the design.
struct SimulationTests {
    /// 1 to 20; `ROOMLINE_SEEDS=500` tries that many.
    private static let seeds: ClosedRange<UInt64> = {
        let count = ProcessInfo.processInfo.environment["ROOMLINE_SEEDS"].flatMap { UInt64($0) }
        return 1...max(1, count ?? 20)
    }()

    @Test(arguments: Self.seeds)
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.run()
        #expect(
            simulation.ledger.violations.isEmpty,
            "seed \(seed):\n\(simulation.ledger.violations.joined(separator: "\n"))"
        )
    }
}
