import ArgumentParser
import RoomBench

/// Options that say what is measured, and how.
struct BenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What to measure: idle, fanout, rooms, latency, churn, durable; several with commas. (default: all)",
            valueName: "NAME"
        ),
        completion: .list(Workload.allCases.map(\.rawValue))
    )
    var workload: WorkloadList?

    @Option(
        help: ArgumentHelp("How many connections subscribe; in churn, how many come and go at a time.", valueName: "N")
    )
    var members: Int?

    @Option(help: ArgumentHelp("How many rooms they are in.", valueName: "N"))
    var rooms: Int?

    @Option(help: ArgumentHelp("How many connections publish. (default: one for each room)", valueName: "N"))
    var publishers: Int?

    @Option(help: ArgumentHelp("The size of a message.", valueName: "BYTES"))
    var size: Int?

    @Option(help: ArgumentHelp("How many messages a publisher sends at once.", valueName: "N"))
    var burst: Int?

    @Option(help: ArgumentHelp("How many messages a second are sent in latency.", valueName: "N"))
    var rate: Int?

    @Option(help: ArgumentHelp("How long a round takes.", valueName: "DURATION"))
    var duration = DurationArgument(milliseconds: 3_000)

    @Option(help: ArgumentHelp("How many rounds are measured; the figures are their medians.", valueName: "N"))
    var rounds = 3

    func validate() throws {
        let bounds = [
            ("members", self.members, 1...1_000_000), ("rooms", self.rooms, 1...100_000),
            ("publishers", self.publishers, 1...100_000), ("size", self.size, MarkedText.shortest...1_048_576),
            ("burst", self.burst, 1...10_000), ("rate", self.rate, 1...1_000_000), ("rounds", self.rounds, 1...100),
        ]
        for (name, value, range) in bounds {
            guard value.map(range.contains) ?? true else {
                throw ValidationError("--\(name) has to be \(range.lowerBound) to \(range.upperBound).")
            }
        }
        guard (50...3_600_000).contains(self.duration.milliseconds) else {
            throw ValidationError("--duration has to be 50ms to 1h.")
        }
        if let name = self.changes.unused(by: self.workloads).first {
            let names = self.workloads.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--\(name) is not a setting of \(names).")
        }
        _ = try self.plans()
    }

    func plans() throws -> [WorkloadPlan] {
        try self.workloads.map { workload in
            do throws(WorkloadPlan.Fault) {
                return try WorkloadPlan(workload, changing: self.changes)
            } catch {
                throw ValidationError(error.text)
            }
        }
    }

    private var workloads: [Workload] { self.workload?.workloads ?? Workload.allCases }

    private var changes: WorkloadSettings {
        WorkloadSettings(
            members: self.members,
            rooms: self.rooms,
            publishers: self.publishers,
            size: self.size,
            burst: self.burst,
            rate: self.rate,
            seconds: self.duration.seconds,
            rounds: self.rounds
        )
    }
}

/// Workloads with commas between them, in the order in which they are given.
struct WorkloadList: ExpressibleByArgument, Equatable, Sendable {
    let workloads: [Workload]

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let workloads = words.compactMap { Workload(rawValue: String($0)) }
        guard workloads.count == words.count, Set(workloads).count == words.count else { return nil }
        self.workloads = workloads
    }
}
