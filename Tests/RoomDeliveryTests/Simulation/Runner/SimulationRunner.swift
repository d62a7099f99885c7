import Foundation

/// Runs the simulation over many seeds: `RoomSimulation FIRST LAST [--kind KIND]… [--steps STEPS] [--seconds N]
/// [--failures N]` (`scripts/simulate`).
@main
struct SimulationRunner {
    private var seeds: ClosedRange<UInt64> = 1...1
    private var kinds: [SimulationKind] = []
    private var steps: StepList?
    private var seconds = Double.infinity
    private var failures = Double.infinity

    static func main() {
        guard let runner = SimulationRunner(CommandLine.arguments.dropFirst()) else {
            Self.say("simulate: see the head of scripts/simulate")
            exit(64)
        }
        exit(runner.run() == 0 ? 0 : 1)
    }

    private init?(_ arguments: ArraySlice<String>) {
        guard arguments.count >= 2, arguments.count % 2 == 0,
            let first = UInt64(arguments[arguments.startIndex]),
            let last = UInt64(arguments[arguments.startIndex + 1]), first <= last
        else { return nil }
        self.seeds = first...last
        var rest = arguments.dropFirst(2)
        while let option = rest.popFirst(), let value = rest.popFirst() {
            switch (option, SimulationKind(rawValue: value), StepList(value), Double(value)) {
            case ("--kind", let kind?, _, _): self.kinds.append(kind)
            case ("--steps", _, let steps?, _): self.steps = steps
            case ("--seconds", _, _, let seconds?): self.seconds = seconds
            case ("--failures", _, _, let failures?): self.failures = failures
            default: return nil
            }
        }
        if self.kinds.isEmpty { self.kinds = SimulationKind.allCases }
    }

    /// - Returns: how many runs have failed.
    private func run() -> Int {
        let start = Date()
        var (failed, runs, last) = (0, 0, self.seeds.lowerBound)
        for seed in self.seeds where Date().timeIntervalSince(start) < self.seconds && Double(failed) < self.failures {
            last = seed
            for kind in self.kinds where Double(failed) < self.failures {
                runs += 1
                // the last of these lines says what a run that traps was
                Self.say("\(kind.rawValue) \(seed)", to: .standardError)
                guard let failure = SimulationFailure(kind, seed: seed, steps: self.steps) else { continue }
                failed += 1
                Self.say("\(failure)")
            }
        }
        let time = Int(Date().timeIntervalSince(start))
        Self.say("simulate: seeds \(self.seeds.lowerBound)-\(last): \(failed) of \(runs) runs failed, \(time) s")
        return failed
    }

    private static func say(_ text: String, to file: FileHandle = .standardOutput) {
        file.write(Data((text + "\n").utf8))
    }
}
