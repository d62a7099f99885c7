import Metrics

/// A counter that follows a total which is kept elsewhere.
struct RunningTotal {
    private let counter: FloatingPointCounter
    private var total = 0.0

    init(_ label: String, factory: any MetricsFactory) {
        self.counter = FloatingPointCounter(label: label, factory: factory)
    }

    /// Counts what has come since the last time. A total that is older than the last one changes nothing.
    mutating func follow(_ total: Double) {
        guard total > self.total else { return }
        self.counter.increment(by: total - self.total)
        self.total = total
    }

    mutating func follow(_ total: Int) { self.follow(Double(total)) }
}
