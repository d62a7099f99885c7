/// A run beside an earlier one, as ratios: now divided by then.
package struct BenchComparison: Equatable, Sendable {
    package struct Row: Equatable, Sendable {
        package let workload: Workload
        package let operationsPerSecond: Double?
        package let p50: Double?
        package let p99: Double?
        package let brokerMicroseconds: Double?
        package let bytesPerConnection: Double?
    }

    /// Why two runs cannot be compared.
    package struct Difference: Error, Equatable {
        package let text: String
    }

    package let rows: [Row]

    /// - Parameter now: may have fewer workloads than `then`.
    package init(_ now: BenchReport, with then: BenchReport) throws(Difference) {
        var rows: [Row] = []
        for result in now.workloads {
            let plan = WorkloadPlan(result.workload, result.settings)
            let earlier = try Self.result(of: plan, over: now.transport, in: then)
            if let stored = result.isStored, let storedEarlier = earlier.isStored, stored != storedEarlier {
                let (what, whatEarlier) = stored ? ("on", "off") : ("off", "on")
                throw Difference(
                    text: "\(result.workload): history is \(what) in the channel now, and was \(whatEarlier) then"
                )
            }
            rows.append(Row(result, earlier))
        }
        self.rows = rows
    }

    /// The result to compare with, before anything is measured.
    ///
    /// - Throws: where there is none, or one that was measured in another way.
    @discardableResult
    package static func result(
        of plan: WorkloadPlan,
        over transport: Transport,
        in report: BenchReport
    ) throws(Difference) -> WorkloadResult {
        guard transport == report.transport else {
            throw Difference(text: "it was measured over \(report.transport), and not over \(transport)")
        }
        guard let earlier = report.workloads.first(where: { $0.workload == plan.workload }) else {
            throw Difference(text: "it has no result of the workload \(plan.workload)")
        }
        let differences = zip(earlier.settings.named, plan.settings.named).filter { $0.value != $1.value }
        guard let (then, now) = differences.first else { return earlier }
        throw Difference(text: "\(plan.workload): --\(now.name) was \(then.value) then, and is \(now.value) now")
    }
}

extension BenchComparison.Row {
    fileprivate init(_ now: WorkloadResult, _ then: WorkloadResult) {
        self.workload = now.workload
        self.operationsPerSecond = Self.ratio(now.operationsPerSecond, then.operationsPerSecond)
        self.p50 = Self.ratio(now.latencies?.p50, then.latencies?.p50)
        self.p99 = Self.ratio(now.latencies?.p99, then.latencies?.p99)
        self.brokerMicroseconds = Self.ratio(now.brokerMicroseconds, then.brokerMicroseconds)
        self.bytesPerConnection = Self.ratio(now.bytesPerConnection, then.bytesPerConnection)
    }

    private static func ratio(_ now: Double?, _ then: Double?) -> Double? {
        guard let now, let then, then > 0 else { return nil }
        return now / then
    }
}
