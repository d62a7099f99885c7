import Foundation

/// Runs the simulation over many seeds: `RoomSimulation FIRST LAST [--kind KIND]… [--steps STEPS] [--seconds N]
/// [--failures N] [--keep DIRECTORY]`; or runs that were written down: `RoomSimulation FILE…` (`scripts/simulate`).
@main
struct SimulationRunner {
    private var seeds: ClosedRange<UInt64> = 1...1
    private var kinds: [SimulationKind] = []
    private var steps: StepList?
    private var seconds = Double.infinity
    private var failures = Double.infinity
    /// Where runs that have failed are written down.
    private var directory: URL?

    static func main() {
        if let file = CommandLine.arguments.dropFirst().first, UInt64(file) == nil {
            exit(Self.run(files: CommandLine.arguments.dropFirst()) ? 0 : 1)
        }
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
            if option == "--keep" {
                self.directory = URL(filePath: value)
                continue
            }
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
                self.keep(failure)
            }
        }
        let time = Int(Date().timeIntervalSince(start))
        Self.say("simulate: seeds \(self.seeds.lowerBound)-\(last): \(failed) of \(runs) runs failed, \(time) s")
        return failed
    }

    private func keep(_ failure: SimulationFailure) {
        guard let file = self.directory?.appending(path: "\(failure.kind.rawValue)-\(failure.seed).txt") else { return }
        let kept = failure.kept
        do {
            try Data(kept.text.utf8).write(to: file)
            Self.say(kept.violations().isEmpty ? "written down, it does not fail" : "written down: \(file.path)")
        } catch {
            Self.say("it cannot be written down: \(error)")
        }
    }

    /// - Returns: whether nothing is wrong in these runs.
    private static func run(files: some Collection<String>) -> Bool {
        var failed = 0
        for file in files {
            let text = (try? String(contentsOf: URL(filePath: file), encoding: .utf8)) ?? ""
            let violations = KeptRun(text)?.violations() ?? ["this is no run that was written down"]
            if !violations.isEmpty { Self.say("\(file):\n\(violations.joined(separator: "\n"))") }
            failed += violations.isEmpty ? 0 : 1
        }
        Self.say("simulate: \(failed) of \(files.count) runs failed")
        return failed == 0
    }

    private static func say(_ text: String, to file: FileHandle = .standardOutput) {
        file.write(Data((text + "\n").utf8))
    }
}
