import Metrics

/// Counters of one metric that follow totals which are kept elsewhere, one for each value of a label.
struct LabelledCounters {
    private let label: String
    private let dimension: String
    private let factory: any MetricsFactory
    private var counters: [String: (counter: Counter, total: Int)] = [:]

    init(_ label: String, by dimension: String, factory: any MetricsFactory) {
        self.label = label
        self.dimension = dimension
        self.factory = factory
    }

    /// Counts what has come since the last time. A total that is older than the last one changes nothing; a value that
    /// has no total any more is gone.
    mutating func follow(_ totals: [String: Int]) {
        for (value, total) in totals {
            let known = self.counters[value] ?? (self.counter(value), 0)
            guard total > known.total || known.total == 0 else { continue }
            known.counter.increment(by: total - known.total)
            self.counters[value] = (known.counter, total)
        }
        for (value, known) in self.counters where totals[value] == nil {
            known.counter.destroy()
            self.counters[value] = nil
        }
    }

    private func counter(_ value: String) -> Counter {
        Counter(label: self.label, dimensions: [(self.dimension, value)], factory: self.factory)
    }
}
