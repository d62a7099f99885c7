/// All metrics by their names. A value: the registry keeps it behind its lock.
struct MetricTable: Sendable {
    private var families: [String: MetricFamily] = [:]
    /// Which family a name in the text belongs to: a histogram has several.
    private var owners: [String: String] = [:]
    private var told: Set<Told> = []

    /// A fault of a metric, which is told once.
    private struct Told: Hashable {
        let name: String
        let fault: MetricFault
    }

    var sorted: [MetricFamily] { self.families.values.sorted { $0.name < $1.name } }

    /// All series of the metric with this name, of whatever labels.
    func series(named name: String) -> [any MetricSeries] {
        self.families[name].map { Array($0.series.values) } ?? []
    }

    /// The series with these labels, made where there is none.
    ///
    /// - Parameter new: the family to begin, where there is none of its name.
    /// - Returns: the series, and what has to be told about it now.
    mutating func series<Series: MetricSeries>(
        _ new: MetricFamily,
        _ labels: MetricLabels,
        limit: Int,
        make: () -> Series
    ) -> (Series, MetricFault?) {
        guard self.claim(new) else { return (make(), self.tell(.nameTaken, of: new.name)) }
        let (series, isBeyond) = self.families[new.name, default: new].series(labels, limit: limit, make: make)
        return (series, isBeyond ? self.tell(.tooManyLabelSets, of: new.name) : nil)
    }

    /// Forgets the series that this handler counts, and the family with its last one.
    mutating func remove(_ handler: AnyObject) {
        for name in self.families.keys.sorted() where self.families[name]?.remove(handler) == true {
            guard self.families[name]?.isEmpty == true else { return }
            self.families[name] = nil
            self.owners = self.owners.filter { $0.value != name }
            return
        }
    }

    private mutating func claim(_ family: MetricFamily) -> Bool {
        if let known = self.families[family.name] { return known.kind == family.kind }
        guard family.sampleNames.allSatisfy({ self.owners[$0] == nil }) else { return false }
        for name in family.sampleNames { self.owners[name] = family.name }
        return true
    }

    private mutating func tell(_ fault: MetricFault, of name: String) -> MetricFault? {
        self.told.insert(Told(name: name, fault: fault)).inserted ? fault : nil
    }
}

/// Why an instrument does not count what it was made for.
enum MetricFault: Hashable, Sendable {
    case nameTaken
    case tooManyLabelSets

    var reason: String {
        switch self {
        case .nameTaken: "another kind of metric has this name: it is not shown"
        case .tooManyLabelSets: "it has reached its limit of label sets: further ones are counted as other"
        }
    }
}

/// One metric: a name, and a series for each set of labels.
struct MetricFamily: Sendable {
    let name: String
    let kind: MetricKind
    let help: String
    private(set) var series: [MetricLabels: any MetricSeries] = [:]
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

    /// - Returns: whether it was one of this family's. A handler that counts for many stays.
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
