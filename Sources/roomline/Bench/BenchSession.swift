import RoomBench
import Synchronization

/// Measures one workload after the other, until somebody ends it.
final class BenchSession: Sendable {
    struct Outcome {
        var results: [WorkloadResult] = []
        /// The code of the first workload that could not be measured.
        var code: CommandFailure.Code?
    }

    private let generator: LoadGenerator
    private let line: BenchProgressLine
    private let hasBeenStopped = Atomic(false)

    init(_ generator: LoadGenerator, _ line: BenchProgressLine) {
        self.generator = generator
        self.line = line
    }

    /// Reports a refusal of the broker, and measures the next workload; without a broker there is no next one.
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
                if let result = try await self.measure(plan) { outcome.results.append(result) }
            } catch {
                CommandFailure.say("\(plan.workload): \(error.text)")
                let code: CommandFailure.Code = error.kind == .unavailable ? .unavailable : .refused
                outcome.code = outcome.code ?? code
                if code == .unavailable { break }
            }
        }
        stopping.cancel()
        return outcome
    }

    /// The line is written by another thread than the one that measures: a terminal can be slow.
    private func measure(_ plan: WorkloadPlan) async throws(BenchFailure) -> WorkloadResult? {
        let (news, tell) = AsyncStream.makeStream(of: BenchProgress.self, bufferingPolicy: .bufferingNewest(1))
        let showing = Task { [line] in
            for await progress in news { line.show(progress) }
            line.clear()
        }
        let result: Result<WorkloadResult?, BenchFailure>
        do throws(BenchFailure) {
            result = .success(try await self.generator.measure(plan) { tell.yield($0) })
        } catch {
            result = .failure(error)
        }
        tell.finish()
        await showing.value
        return try result.get()
    }
}
