import Metrics
import Synchronization

/// How many values were at most so large, for each of some bounds.
final class HistogramSeries: RecorderHandler, TimerHandler, MetricSeries {
    /// Ascending, in the unit that is recorded.
    private let bounds: [Double]
    /// One for each bound, and one for what is above the last; each value is in one of them.
    private let counts: [BucketCount]
    private let wholeSum = Atomic<Int64>(0)
    private let fractionalSum = AtomicDouble()
    /// The number by which a recorded value is divided where it is shown.
    private let divisor: Double

    /// Where nothing better is known: 1, 2, 5, 10 … one million.
    static let bounds: [Double] = [1, 10, 100, 1_000, 10_000, 100_000].flatMap { [$0, 2 * $0, 5 * $0] } + [1_000_000]

    init(bounds: [Double], divisor: Double = 1) {
        self.bounds = bounds
        self.counts = (0...bounds.count).map { _ in BucketCount() }
        self.divisor = divisor
    }

    /// Durations, recorded in nanoseconds, shown in seconds: from 10 µs to 10 s.
    static func ofNanoseconds() -> HistogramSeries {
        HistogramSeries(bounds: Self.nanosecondBounds, divisor: 1e9)
    }

    private static let nanosecondBounds: [Double] =
        [1e4, 1e5, 1e6, 1e7, 1e8, 1e9].flatMap { [$0, 2.5 * $0, 5 * $0] } + [1e10]

    func record(_ value: Int64) {
        self.count(Double(value))
        self.wholeSum.wrappingAdd(value, ordering: .relaxed)
    }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        self.count(value)
        self.fractionalSum.add(value)
    }

    func recordNanoseconds(_ duration: Int64) { self.record(max(0, duration)) }

    private func count(_ value: Double) {
        var (low, high) = (0, self.bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if self.bounds[middle] < value {
                low = middle + 1
            } else {
                high = middle
            }
        }
        self.counts[low].add()
    }

    /// As of now, in the unit that is shown.
    var snapshot: HistogramCounts {
        HistogramCounts(bounds: self.bounds.map { $0 / self.divisor }, counts: self.counts.map(\.value))
    }

    func write(_ name: String, _ labels: MetricLabels, into text: inout String) {
        let front = labels.text.isEmpty ? "" : labels.text + ","
        var total = 0
        for (index, count) in self.counts.enumerated() {
            total += count.value
            let bound = index < self.bounds.count ? self.bounds[index] / self.divisor : .infinity
            let bucket = "\(front)le=\"\(PrometheusText.number(bound))\""
            PrometheusText.sample("\(name)_bucket", bucket, String(total), into: &text)
        }
        let sum = (Double(self.wholeSum.load(ordering: .relaxed)) + self.fractionalSum.load()) / self.divisor
        PrometheusText.sample("\(name)_sum", labels.text, PrometheusText.number(sum), into: &text)
        PrometheusText.sample("\(name)_count", labels.text, String(total), into: &text)
    }
}

private final class BucketCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { self.count.load(ordering: .relaxed) }

    func add() {
        self.count.wrappingAdd(1, ordering: .relaxed)
    }
}
