import Metrics
import NIOConcurrencyHelpers
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomMetrics

struct FigureLogTests {
    private let registry = PrometheusRegistry(logger: LogLines().logger)
    private let statistics = NIOLockedValueBox(BrokerStatistics())

    private func log(limit: Int = 720) -> FigureLog {
        FigureLog(
            registry: self.registry,
            sources: BrokerMetrics.Sources(
                shards: {
                    var counters = ShardCounters()
                    counters.openConnections = [.jsonLines: 2]
                    return [counters, counters]
                },
                statistics: { [statistics] in statistics.withLockedValue(\.self) },
                process: { ProcessFigures(startSeconds: 0, uptimeSeconds: 0, processorSeconds: 0) },
                historyBytes: { nil }
            ),
            residentBytes: { 7_000 },
            limit: limit
        )
    }

    @Test func `rates and latencies are of the time since the sample before`() async {
        let commits = Metrics.Timer(label: "roomline.commit.duration", factory: self.registry)
        let log = self.log()
        commits.recordNanoseconds(9_000_000_000)
        self.statistics.withLockedValue { $0.publishes = 1_000 }
        await log.take(time: 1_000, uptime: 1_000_000_000)
        self.statistics.withLockedValue { statistics in
            statistics.publishes = 1_050
            statistics.deliveries = 400
        }
        for _ in 0..<100 { commits.recordNanoseconds(60_000) }
        for _ in 0..<2 { commits.recordNanoseconds(3_000_000) }
        await log.take(time: 6_000, uptime: 6_000_000_000)
        let samples = await log.samples(after: nil)
        #expect(samples.first?.publishes == nil && samples.first?.commitMedian == nil)
        let last = samples.last
        #expect(last?.wireFormats["json"] == 4)
        #expect(last?.residentBytes == 7_000)
        #expect(last?.publishes == 10 && last?.deliveries == 80)
        // within their buckets, 50 to 100 us and 2.5 to 5 ms
        #expect(last?.commitMedian.map { (50e-6...100e-6).contains($0) } == true)
        #expect(last?.commit99th.map { (2.5e-3...5e-3).contains($0) } == true)
        #expect(last?.loop99th == nil)
    }

    @Test func `no quantile is above the longest time`() async {
        let loops = Metrics.Timer(label: "roomline.loop.latency", factory: self.registry)
        let log = self.log()
        loops.recordNanoseconds(1)
        Metrics.Meter(label: "roomline.loop.latency.max.seconds", factory: self.registry).set(0.011)
        await log.take(time: 1_000, uptime: 1_000_000_000)
        for _ in 0..<100 { loops.recordNanoseconds(10_500_000) }
        await log.take(time: 6_000, uptime: 6_000_000_000)
        let last = await log.newest
        #expect(last?.loopLongest == 0.011 && last?.loop99th == 0.011)
    }

    @Test func `the oldest samples go`() async {
        let log = self.log(limit: 3)
        for second in 1...5 { await log.take(time: Int64(second), uptime: UInt64(second)) }
        #expect(await log.samples(after: nil).map(\.time) == (3...5).map { AdminTime(milliseconds: $0) })
        #expect(await log.samples(after: 4).map(\.time) == [AdminTime(milliseconds: 5)])
        #expect(await log.samples(after: 5).isEmpty)
    }

    @Test(arguments: [(0.5, 1.0), (0.75, 2.0), (0.25, 0.5), (1.0, 2.0)])
    func `a quantile lies within its bucket`(part: Double, value: Double) {
        let counts = HistogramCounts(bounds: [1, 2], counts: [2, 1, 1])
        #expect(counts.quantile(part) == value)
    }

    @Test func `nothing counted has no quantile`() {
        #expect(HistogramCounts().quantile(0.5) == nil)
        let counts = HistogramCounts(bounds: [1], counts: [3, 0])
        #expect(counts.since(counts).quantile(0.5) == nil)
    }
}
