import Foundation
import RoomTestKit
import Testing

/// Whole brokers in memory with a seed each, against promises 1, 2, 3 and 6 of the design.
struct SimulationTests {
    /// Seeds that have failed once.
    private static let failed: [UInt64] = [156, 217, 288, 300, 346, 370, 420, 484, 528]

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
        Self.check(seed) { Simulation(seed: seed) }
    }

    @Test(arguments: Self.seeds(1...60))
    func `a few clients see one order, whatever happens around them`(seed: UInt64) {
        Self.check(seed) { Simulation(seed: seed, clients: 20) }
    }

    @Test(arguments: Self.seeds(1...60))
    func `what was acknowledged survives the crashes of a broker and of its machine`(seed: UInt64) {
        Self.check(seed) { Simulation(seed: seed, clients: 20, crashes: true) }
    }

    private static func check(_ seed: UInt64, _ make: () -> Simulation) {
        var simulation = make()
        let count = simulation.run(Self.steps)
        guard !simulation.ledger.violations.isEmpty else { return }
        let done = StepList((Self.steps ?? simulation.allSteps).numbers.prefix(count))
        let steps = done.shrunk(tries: 300) { !Self.run($0, make).isEmpty }
        let violations = Self.run(steps, make)
        Issue.record(
            """
            seed \(seed):
            \((violations.isEmpty ? simulation.ledger.violations : violations).joined(separator: "\n"))
            again, with the \(steps.numbers.count) steps that are left of \(count): SWIFT_DETERMINISTIC_HASHING=1 \
            ROOMLINE_SEEDS=\(seed) ROOMLINE_STEPS=\(steps) swift test --filter SimulationTests
            """
        )
    }

    private static func run(_ steps: StepList, _ make: () -> Simulation) -> [String] {
        var simulation = make()
        simulation.run(steps)
        return simulation.ledger.violations
    }
}
