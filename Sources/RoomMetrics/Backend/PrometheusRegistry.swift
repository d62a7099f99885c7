package import Logging
package import Metrics
import NIOConcurrencyHelpers

/// A backend of swift-metrics that keeps every figure in memory and gives them as Prometheus text.
///
/// Making an instrument takes a lock; counting with it does not. Instruments of one name and the same labels count
/// together, and `destroy` ends the series of all of them. An instrument that cannot be had, because its name already
/// means something else, counts into nowhere, and the log says so once.
package final class PrometheusRegistry: MetricsFactory {
    private let metrics = NIOLockedValueBox(MetricTable())
    private let descriptions: [String: MetricDescription]
    private let labelSetLimit: Int
    private let logger: Logger

    /// - Parameters:
    ///   - descriptions: help and buckets of the metrics that are known beforehand.
    ///   - labelSetLimit: how many label sets one metric may have; all beyond are one more, with `other` for values.
    package init(descriptions: [MetricDescription] = [], labelSetLimit: Int = 500, logger: Logger) {
        self.descriptions = Dictionary(descriptions.map { ($0.label, $0) }) { first, _ in first }
        self.labelSetLimit = labelSetLimit
        self.logger = logger
    }

    /// All metrics in the text exposition format 0.0.4, sorted by name and labels.
    func render() -> String {
        // copied, so that nobody who makes an instrument waits for the text
        let families = self.metrics.withLockedValue(\.sorted)
        var text = ""
        for family in families { family.write(into: &text) }
        return text
    }

    /// The counts of the histogram with this name, with whatever labels.
    func histogram(named name: String) -> HistogramCounts {
        var all = HistogramCounts()
        for case let series as HistogramSeries in self.metrics.withLockedValue({ $0.series(named: name) }) {
            all.add(series.snapshot)
        }
        return all
    }

    /// The largest value that the gauge with this name has, with whatever labels.
    func largestGauge(named name: String) -> Double? {
        self.metrics.withLockedValue { $0.series(named: name) }.compactMap { ($0 as? GaugeSeries)?.current }.max()
    }

    // MARK: Instruments

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series(label, .counter, dimensions) { _ in CounterSeries() }
    }

    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        self.series(label, .counter, dimensions) { _ in CounterSeries() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.series(label, .gauge, dimensions) { _ in GaugeSeries() }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return self.series(label, .gauge, dimensions) { _ in GaugeSeries() } }
        return self.series(label, .histogram, dimensions) { HistogramSeries(bounds: $0 ?? HistogramSeries.bounds) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.series(label, .timer, dimensions) { _ in HistogramSeries.ofNanoseconds() }
    }

    package func destroyCounter(_ handler: any CounterHandler) { self.destroy(handler) }

    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { self.destroy(handler) }

    package func destroyMeter(_ handler: any MeterHandler) { self.destroy(handler) }

    package func destroyRecorder(_ handler: any RecorderHandler) { self.destroy(handler) }

    package func destroyTimer(_ handler: any TimerHandler) { self.destroy(handler) }

    /// - Parameter make: gets the buckets that the metric's description asks for.
    private func series<Series: MetricSeries>(
        _ label: String,
        _ kind: MetricKind,
        _ dimensions: [(String, String)],
        make: (_ bounds: [Double]?) -> Series
    ) -> Series {
        let description = self.descriptions[label]
        let labels = MetricLabels(dimensions)
        let (series, fault) = self.metrics.withLockedValue { metrics in
            metrics.series(
                MetricFamily(name: kind.name(label), kind: kind, help: description?.help ?? label),
                labels,
                limit: self.labelSetLimit
            ) { make(description?.bounds) }
        }
        if let fault {
            self.logger.warning(
                "a metric is not counted as it was meant to be",
                metadata: ["metric": "\(kind.name(label))", "reason": "\(fault.reason)"]
            )
        }
        return series
    }

    private func destroy(_ handler: AnyObject) {
        self.metrics.withLockedValue { $0.remove(handler) }
    }
}
