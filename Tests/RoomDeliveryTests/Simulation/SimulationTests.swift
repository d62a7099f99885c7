import Foundation
import RoomTestKit
import Testing

/// Whole brokers in memory with a seed each, against promises 1, 2, 3 and 6 of the design.
struct SimulationTests {
    /// Seeds that have failed once.
    private static let failed: [UInt64] = []

    /// These and the ones that have failed, or those of `ROOMLINE_SEEDS`: `44` for one that failed, `1-500` for a long run.
    private static func seeds(_ usual: ClosedRange<UInt64>) -> [UInt64] {
        guard let text = ProcessInfo.processInfo.environment["ROOMLINE_SEEDS"] else {
            return Array(usual) + self.failed.filter { !usual.contains($0) }
        }
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return [] }
        return Array(first...last)
    }

    @Test(arguments: Self.seeds(1...20))
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        Self.check(Simulation(seed: seed), seed)
    }

    @Test(arguments: Self.seeds(1...60))
    func `what was acknowledged survives the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(Simulation(seed: seed, clients: 20, crashes: true), seed)
    }

    private static func check(_ simulation: Simulation, _ seed: UInt64) {
        var simulation = simulation
        simulation.run()
        let violations = simulation.ledger.violations
        #expect(
            violations.isEmpty,
            """
            seed \(seed):
            \(violations.joined(separator: "\n"))
            again: SWIFT_DETERMINISTIC_HASHING=1 ROOMLINE_SEEDS=\(seed) swift test --filter SimulationTests
            """
        )
    }
}
