import DequeModule
import RoomCore
import RoomDelivery
package import RoomDocuments
import RoomHost

/// Samples of what the broker does, over the last hour.
package actor FigureLog {
    private let registry: PrometheusRegistry
    private let sources: BrokerMetrics.Sources
    private let residentBytes: @Sendable () -> Int?
    private let limit: Int
    private var samples: Deque<AdminFigures> = []
    private var before: Totals?

    /// The figures that only grow.
    private struct Totals {
        let uptime: UInt64
        let publishes: Int
        let deliveries: Int
        let commits: HistogramCounts
        let loops: HistogramCounts
    }

    /// Between two samples.
    package static let interval = Duration.seconds(5)

    /// - Parameter residentBytes: alone, since to count open files takes long where there are many.
    package init(
        registry: PrometheusRegistry,
        sources: BrokerMetrics.Sources,
        residentBytes: @escaping @Sendable () -> Int? = { HostProcess.own.residentBytes },
        limit: Int = 720
    ) {
        self.registry = registry
        self.sources = sources
        self.residentBytes = residentBytes
        self.limit = limit
    }

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - time: Unix milliseconds.
    ///   - uptime: monotonic nanoseconds, for the rates.
    package func take(time: Int64, uptime: UInt64) async {
        let (shards, statistics) = (await self.sources.shards(), await self.sources.statistics())
        let totals = Totals(
            uptime: uptime,
            publishes: statistics.publishes,
            deliveries: statistics.deliveries,
            commits: self.registry.histogram(named: "roomline_commit_duration_seconds"),
            loops: self.registry.histogram(named: "roomline_loop_latency_seconds")
        )
        let formats = WireFormat.allCases.map { format in
            (format.label, shards.reduce(0) { $0 + ($1.openConnections[format] ?? 0) })
        }
        var sample = AdminFigures(placeholder: ())
        (sample.time, sample.connections) = (AdminTime(milliseconds: time), statistics.connections)
        sample.wireFormats = Dictionary(uniqueKeysWithValues: formats)
        (sample.rooms, sample.members) = (statistics.rooms, statistics.members)
        sample.residentBytes = self.residentBytes().map { UInt64($0) }
        sample.loopLongest = self.registry.largestGauge(named: "roomline_loop_latency_max_seconds")
        if let before, uptime > before.uptime {
            let seconds = Double(uptime - before.uptime) / 1e9
            sample.publishes = Double(totals.publishes - before.publishes) / seconds
            sample.deliveries = Double(totals.deliveries - before.deliveries) / seconds
            let commits = totals.commits.since(before.commits)
            sample.commitMedian = commits.quantile(0.5)
            sample.commit99th = commits.quantile(0.99)
            // A quantile is only as exact as its bucket, and the longest time is exact.
            let longest = sample.loopLongest ?? .infinity
            sample.loop99th = totals.loops.since(before.loops).quantile(0.99).map { min($0, longest) }
        }
        self.before = totals
        if self.samples.count >= self.limit { self.samples.removeFirst() }
        self.samples.append(sample)
    }

    /// `nil` before the first one was taken.
    package var newest: AdminFigures? { self.samples.last }

    /// The samples that were taken after this time, oldest first.
    ///
    /// - Parameter time: Unix milliseconds; `nil`: all there are.
    package func samples(after time: Int64?) -> [AdminFigures] {
        guard let time else { return Array(self.samples) }
        let last = AdminTime(milliseconds: time)
        return self.samples.filter { $0.time > last }
    }
}
