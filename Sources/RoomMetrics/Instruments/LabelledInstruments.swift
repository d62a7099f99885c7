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

/// Gauges of one metric, one for each value of a label.
struct LabelledGauges {
    private let label: String
    private let dimension: String
    private let factory: any MetricsFactory
    private var meters: [String: Meter] = [:]

    init(_ label: String, by dimension: String, factory: any MetricsFactory) {
        self.label = label
        self.dimension = dimension
        self.factory = factory
    }

    /// A value that has no figure any more is gone.
    mutating func set(_ figures: [String: Int]) {
        for (value, figure) in figures {
            let meter = self.meters[value] ?? self.meter(value)
            meter.set(figure)
            self.meters[value] = meter
        }
        for (value, meter) in self.meters where figures[value] == nil {
            meter.destroy()
            self.meters[value] = nil
        }
    }

    private func meter(_ value: String) -> Meter {
        Meter(label: self.label, dimensions: [(self.dimension, value)], factory: self.factory)
    }
}

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
