/// The measurements of one round.
package struct Round: Codable, Equatable, Sendable {
    package var seconds: Double
    package var operations: Int
    /// That the generator read.
    package var bytes: Int
    /// `nil` where there was no operation.
    package var latencies: Latencies?
    /// Processor time of the broker; `nil` where its process is not known.
    package var brokerSeconds: Double?
    /// Processor time of the generator's thread.
    package var generatorSeconds: Double

    private enum CodingKeys: String, CodingKey {
        case seconds, operations, bytes
        case latencies = "latency_us"
        case brokerSeconds = "broker_cpu_seconds"
        case generatorSeconds = "generator_cpu_seconds"
    }

    var operationsPerSecond: Double { self.seconds > 0 ? Double(self.operations) / self.seconds : 0 }

    /// The broker's processor time for one operation.
    var brokerMicroseconds: Double? {
        guard let seconds = self.brokerSeconds, self.operations > 0 else { return nil }
        return seconds / Double(self.operations) * 1e6
    }

    /// How much of its core the generator's thread used, from 0 to 1.
    var generatorLoad: Double { self.seconds > 0 ? self.generatorSeconds / self.seconds : 0 }
}

/// Counts what happens in a round. Confined to one event loop; a reference, because what is counted may cause the next event
/// before the call returns, as a connection that is closed does.
final class RoundMeter {
    /// The clocks at one moment.
    struct Moment: Equatable {
        /// The time by a clock that never goes back.
        var nanoseconds: Int64
        var brokerSeconds: Double?
        var generatorSeconds: Double
    }

    private var start: Moment
    private(set) var operations = 0
    private var bytes = 0
    private var histogram = LatencyHistogram()

    init(at start: Moment) {
        self.start = start
    }

    func begin(at moment: Moment) {
        self.start = moment
        self.operations = 0
        self.bytes = 0
        self.histogram.removeAll()
    }

    /// So many operations have ended after so many nanoseconds each.
    func record(_ nanoseconds: Int64, count: Int = 1) {
        self.operations += count
        self.histogram.record(nanoseconds, count: count)
    }

    func add(bytes: Int) {
        self.bytes += bytes
    }

    func round(until moment: Moment) -> Round {
        Round(
            seconds: Double(moment.nanoseconds - self.start.nanoseconds) / 1e9,
            operations: self.operations,
            bytes: self.bytes,
            latencies: Latencies(self.histogram),
            brokerSeconds: moment.brokerSeconds.flatMap { end in self.start.brokerSeconds.map { end - $0 } },
            generatorSeconds: moment.generatorSeconds - self.start.generatorSeconds
        )
    }
}
