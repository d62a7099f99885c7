/// The figures of one metric with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Appends its lines.
    ///
    /// - Parameter name: the metric's.
    func write(_ name: String, _ labels: MetricLabels, into text: inout String)
}
