import Foundation
import RoomTestKit
import Testing

/// Whole brokers in memory, each with two hundred clients and a seed, against promises 1, 3 and 6 of the design.
struct SimulationTests {
    /// 1 to 20, or what `ROOMLINE_SEEDS` says: `44` for one that failed, `1-500` for a long run.
    private static let seeds: ClosedRange<UInt64> = {
        let text = ProcessInfo.processInfo.environment["ROOMLINE_SEEDS"] ?? "1-20"
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return 1...20 }
        return first...last
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
