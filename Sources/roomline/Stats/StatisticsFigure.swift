import RoomModel

/// One figure of the live view: what it is now, how it went, and whether somebody should look at it.
struct StatisticsFigure: Equatable, Sendable {
    enum Format: Equatable, Sendable {
        case count
        case rate
        case bytes
        case bytesPerSecond
        case percent
        case milliseconds
    }

    let name: String
    let format: Format
    /// Empty where it is not known.
    let series: StatisticsSeries
    /// From which values on it is alarming, and from which on it is bad; where the first is the higher one, low values are.
    var alarms: (warning: Double, bad: Double)?

    init(_ name: String, _ format: Format, _ series: StatisticsSeries, alarms: (warning: Double, bad: Double)? = nil) {
        self.name = name
        self.format = format
        self.series = series
        self.alarms = alarms
    }

    var values: [Double] { self.series.values }

    var text: String { self.values.last.map(self.format.text) ?? "-" }

    var style: StyledLine.Style {
        guard let alarms, let value = self.values.last else { return .normal }
        if alarms.warning > alarms.bad {
            return value < alarms.bad ? .bad : value < alarms.warning ? .warning : .normal
        }
        return value >= alarms.bad ? .bad : value >= alarms.warning ? .warning : .normal
    }

    static func == (left: StatisticsFigure, right: StatisticsFigure) -> Bool {
        left.name == right.name && left.format == right.format && left.series == right.series
            && left.style == right.style
    }
}

extension StatisticsFigure.Format {
    /// A difference that is smaller fills no graph: a processor that uses 1 % or 2 %, and a commit of 2 or 3 ms, are the same.
    var leastSpan: Double {
        switch self {
        case .count, .rate, .bytes, .bytesPerSecond: 0
        case .percent: 10
        case .milliseconds: 5
        }
    }

    func text(_ value: Double) -> String {
        switch self {
        case .count: Self.count(value)
        case .rate: value > 0 && value < 10 ? "\((value * 10).rounded() / 10)" : Self.count(value)
        case .bytes, .bytesPerSecond: ShownSize.text(value)
        case .percent: "\(Int(value.rounded())) %"
        case .milliseconds: value < 10 ? "\((value * 10).rounded() / 10) ms" : "\(Self.count(value)) ms"
        }
    }

    /// In six columns at most: `99999`, `100k`, `1.2M`.
    private static func count(_ value: Double) -> String {
        switch value {
        case ..<99_999.5: "\(Int(value.rounded()))"
        case ..<999_500: "\(Int((value / 1e3).rounded()))k"
        case ..<1e15: "\((value / 1e5).rounded() / 10)M"
        default: "many"
        }
    }
}
