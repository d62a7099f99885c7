import Metrics
import Synchronization

/// Only goes up: whole numbers and fractions of one counter.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler, MetricSeries {
    private let whole = Atomic<Int64>(0)
    private let fractional = AtomicDouble()

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        self.whole.wrappingAdd(amount, ordering: .relaxed)
    }

    func increment(by amount: Double) {
        guard amount.isFinite, amount > 0 else { return }
        self.fractional.add(amount)
    }

    func reset() {
        self.whole.store(0, ordering: .relaxed)
        self.fractional.store(0)
    }

    func write(_ name: String, _ labels: MetricLabels, into text: inout String) {
        let (whole, fraction) = (self.whole.load(ordering: .relaxed), self.fractional.load())
        let value = fraction == 0 ? String(whole) : PrometheusText.number(Double(whole) + fraction)
        PrometheusText.sample(name, labels.text, value, into: &text)
    }
}
