import Metrics
import Synchronization

/// The figures of one metric with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Appends its lines.
    ///
    /// - Parameter name: the metric's.
    func write(_ name: String, _ labels: MetricLabels, into text: inout String)
}

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

/// The newest value of something that goes up and down.
final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let value = AtomicDouble()

    var current: Double { self.value.load() }

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

/// A floating-point number that several threads add to.
final class AtomicDouble: Sendable {
    private let bits = Atomic<UInt64>(0)

    func load() -> Double { Double(bitPattern: self.bits.load(ordering: .relaxed)) }

    func store(_ value: Double) {
        self.bits.store(value.bitPattern, ordering: .relaxed)
    }

    func add(_ amount: Double) {
        var known = self.bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: known) + amount
            let (exchanged, original) = self.bits.weakCompareExchange(
                expected: known,
                desired: sum.bitPattern,
                ordering: .relaxed
            )
            if exchanged { return }
            known = original
        }
    }
}
