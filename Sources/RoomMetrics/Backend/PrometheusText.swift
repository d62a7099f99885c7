/// The grammar of the text exposition format 0.0.4: names, escapes, numbers.
/// https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md
enum PrometheusText {
    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; what is not allowed becomes `_`.
    static func metricName(_ text: String) -> String { self.name(text) { $0 == UInt8(ascii: ":") } }

    /// `[a-zA-Z_][a-zA-Z0-9_]*`, without two underscores in front, and never `le`: those are Prometheus's own.
    static func labelName(_ text: String) -> String {
        let name = self.name(text) { _ in false }
        if name == "le" { return "le_" }
        return name.hasPrefix("__") ? "_" + name.drop { $0 == "_" } : name
    }

    private static func name(_ text: String, also isAllowed: (UInt8) -> Bool) -> String {
        var bytes = text.utf8.map { byte in
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            return isLetter || self.isDigit(byte) || isAllowed(byte) ? byte : UInt8(ascii: "_")
        }
        if bytes.first.map(self.isDigit) ?? true { bytes.insert(UInt8(ascii: "_"), at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// A label's value, for between its quotes.
    static func escapedValue(_ text: String) -> String { self.escaped(text, quotes: true) }

    static func escapedHelp(_ text: String) -> String { self.escaped(text, quotes: false) }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        // by scalars: CR and LF are one character
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value), abs(value) < 1e15 { return String(whole) }
        return "\(value)"
    }

    /// One line: the name, the labels, the value.
    static func sample(_ name: String, _ labels: String, _ value: String, into text: inout String) {
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}

/// The kind of a metric, which decides how its name ends.
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
