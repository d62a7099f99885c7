import Metrics

/// The newest value of something that goes up and down.
final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let value = AtomicDouble()

    func set(_ value: Int64) { self.value.store(Double(value)) }

    func set(_ value: Double) { self.value.store(value) }

    func increment(by amount: Double) { self.value.add(amount) }

    func decrement(by amount: Double) { self.value.add(-amount) }

    func record(_ value: Int64) { self.set(value) }

    func record(_ value: Double) { self.set(value) }

    func write(_ name: String, _ labels: MetricLabels, into text: inout String) {
        PrometheusText.sample(name, labels.text, PrometheusText.number(self.value.load()), into: &text)
    }
}
