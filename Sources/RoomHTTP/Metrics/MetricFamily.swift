/// One metric: a name, and a series for each set of labels.
struct MetricFamily: Sendable {
    let name: String
    let kind: MetricKind
    let help: String
    private var series: [MetricLabels: any MetricSeries] = [:]
    /// Counts what is beyond the limit; one of `series`.
    private var others: (any MetricSeries)?

    init(name: String, kind: MetricKind, help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    var isEmpty: Bool { self.series.isEmpty }

    /// The names of its lines.
    var sampleNames: [String] {
        switch self.kind {
        case .counter, .gauge: [self.name]
        case .histogram, .timer: [self.name] + ["_bucket", "_sum", "_count"].map { self.name + $0 }
        }
    }

    /// - Returns: the series, and whether it is the one of all that are beyond the limit.
    mutating func series<Series: MetricSeries>(
        _ labels: MetricLabels,
        limit: Int,
        make: () -> Series
    ) -> (Series, isBeyond: Bool) {
        // of one kind: all are of one type
        if let known = self.series[labels] as? Series { return (known, false) }
        if let others = self.others as? Series { return (others, true) }
        let isBeyond = self.series.count >= limit
        let place = isBeyond ? labels.others : labels
        let new = self.series[place] as? Series ?? make()
        self.series[place] = new
        if isBeyond { self.others = new }
        return (new, isBeyond)
    }

    /// - Returns: whether it was one of this family's. What counts for many stays.
    mutating func remove(_ handler: AnyObject) -> Bool {
        guard let entry = self.series.first(where: { $0.value === handler }) else { return false }
        if self.others !== handler { self.series[entry.key] = nil }
        return true
    }

    func write(into text: inout String) {
        text += "# HELP \(self.name) \(PrometheusText.escapedHelp(self.help))\n"
        text += "# TYPE \(self.name) \(self.kind.type)\n"
        for (labels, series) in self.series.sorted(by: { $0.key < $1.key }) {
            series.write(self.name, labels, into: &text)
        }
    }
}
