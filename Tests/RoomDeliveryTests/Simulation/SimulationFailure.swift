import Foundation

/// A simulated run in which something was wrong, with as few steps as still show it.
struct SimulationFailure: CustomStringConvertible {
    let kind: SimulationKind
    let seed: UInt64
    /// With the steps that are left.
    private let violations: [String]
    private let steps: StepList
    /// How many were done before anything was wrong.
    private let count: Int

    /// `ROOMLINE_SHRINK=off`: for those who only ask whether something is wrong.
    private static let shrinks = ProcessInfo.processInfo.environment["ROOMLINE_SHRINK"] != "off"

    /// - Parameter steps: those that are done; `nil`: all.
    /// - Returns: `nil` where nothing is wrong.
    init?(_ kind: SimulationKind, seed: UInt64, steps: StepList? = nil) {
        var simulation = kind.simulation(seed: seed)
        let count = simulation.run(steps)
        guard !simulation.ledger.violations.isEmpty else { return nil }
        let done = StepList((steps ?? simulation.allSteps).numbers.prefix(count))
        let left = Self.shrinks ? done.shrunk(tries: 300) { !Self.violations(kind, seed, $0).isEmpty } : done
        let violations = Self.shrinks ? Self.violations(kind, seed, left) : []
        self.kind = kind
        self.seed = seed
        self.steps = left
        self.count = count
        self.violations = violations.isEmpty ? simulation.ledger.violations : violations
    }

    private static func violations(_ kind: SimulationKind, _ seed: UInt64, _ steps: StepList) -> [String] {
        var simulation = kind.simulation(seed: seed)
        simulation.run(steps)
        return simulation.ledger.violations
    }

    /// As what the steps that are left draw.
    var kept: KeptRun {
        var simulation = self.kind.simulation(seed: self.seed)
        simulation.written = []
        simulation.run(self.steps)
        return KeptRun(self.kind, simulation.plan, simulation.written ?? [])
    }

    var description: String {
        """
        seed \(self.seed):
        \(self.violations.joined(separator: "\n"))
        again, with the \(self.steps.numbers.count) steps that are left of \(self.count): \
        scripts/simulate \(self.seed) --kind \(self.kind.rawValue) --steps \(self.steps)
        """
    }
}
