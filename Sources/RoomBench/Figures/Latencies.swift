/// The latencies of one round, in microseconds.
package struct Latencies: Codable, Equatable, Sendable {
    package var p50: Double
    package var p90: Double
    package var p99: Double
    package var p999: Double
    package var max: Double

    private enum CodingKeys: String, CodingKey {
        case p50, p90, p99, max
        case p999 = "p99.9"
    }
}

extension Latencies {
    /// `nil` where nothing was recorded.
    init?(_ histogram: LatencyHistogram) {
        guard histogram.total > 0 else { return nil }
        // To a hundredth of a microsecond: a figure of a report needs no more.
        func microseconds(_ nanoseconds: Int64?) -> Double { (Double(nanoseconds ?? 0) / 10).rounded() / 100 }
        self.init(
            p50: microseconds(histogram.quantile(0.5)),
            p90: microseconds(histogram.quantile(0.9)),
            p99: microseconds(histogram.quantile(0.99)),
            p999: microseconds(histogram.quantile(0.999)),
            max: microseconds(histogram.maximum)
        )
    }
}
