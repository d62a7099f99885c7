/// What a metric is, which decides how its name ends.
enum MetricKind: Sendable {
    case counter
    case gauge
    case histogram
    /// A histogram of durations, in seconds.
    case timer

    /// The word behind `# TYPE`.
    var type: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram, .timer: "histogram"
        }
    }

    /// The metric's name in the text, for the label that swift-metrics gives.
    func name(_ label: String) -> String {
        let name = PrometheusText.metricName(label)
        switch self {
        case .counter: return name.hasSuffix("_total") ? name : name + "_total"
        case .timer: return name.hasSuffix("_seconds") ? name : name + "_seconds"
        case .gauge, .histogram: return name
        }
    }
}
