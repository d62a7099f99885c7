import Metrics

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
