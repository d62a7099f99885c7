/// The labels of one series, sorted by name; of two with the same name the last one counts.
struct MetricLabels: Hashable, Comparable, Sendable {
    private let names: [String]
    /// As between the braces: `wire_format="json",room="a"`.
    let text: String

    init(_ dimensions: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in dimensions { values[PrometheusText.labelName(name)] = value }
        self.init(values)
    }

    private init(_ values: [String: String]) {
        self.names = values.keys.sorted()
        self.text = values.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(PrometheusText.escapedValue($0.value))\"" }
            .joined(separator: ",")
    }

    /// The same names, each with the value `other`.
    var others: MetricLabels { MetricLabels(Dictionary(self.names.map { ($0, "other") }) { first, _ in first }) }

    static func < (one: MetricLabels, other: MetricLabels) -> Bool { one.text < other.text }
}
