import RoomBench
import Synchronization

/// Measures one workload after the other, until somebody ends it.
final class BenchSession: Sendable {
    struct Outcome {
        var results: [WorkloadResult] = []
        /// Of the first workload that could not be measured.
        var code: CommandFailure.Code?
    }

    private let generator: LoadGenerator
    private let line: BenchProgressLine
    private let hasBeenStopped = Atomic(false)

    init(_ generator: LoadGenerator, _ line: BenchProgressLine) {
        self.generator = generator
        self.line = line
    }

    /// What the broker refuses is said, and the next workload is measured; without a broker there is no next one.
    func measure(_ plans: [WorkloadPlan], until signals: ProcessSignals) async -> Outcome {
        let stopping = Task {
            for await _ in signals.stream {
                self.hasBeenStopped.store(true, ordering: .relaxed)
                self.generator.stop()
            }
        }
        var outcome = Outcome()
        for plan in plans where !self.hasBeenStopped.load(ordering: .relaxed) {
            do throws(BenchFailure) {
                let line = self.line
                let result = try await self.generator.measure(plan) { line.show($0) }
                self.line.clear()
                if let result { outcome.results.append(result) }
            } catch {
                self.line.clear()
                CommandFailure.say("\(plan.workload): \(error.text)")
                let code: CommandFailure.Code = error.kind == .unavailable ? .unavailable : .refused
                outcome.code = outcome.code ?? code
                if code == .unavailable { break }
            }
        }
        stopping.cancel()
        return outcome
    }
}
