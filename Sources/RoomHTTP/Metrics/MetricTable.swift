/// All metrics by their names. A value: the registry keeps it behind its lock.
struct MetricTable: Sendable {
    private var families: [String: MetricFamily] = [:]
    /// Which family a name in the text belongs to: a histogram has several.
    private var owners: [String: String] = [:]
    private var told: Set<Told> = []

    /// What is told once.
    private struct Told: Hashable {
        let name: String
        let fault: MetricFault
    }

    var sorted: [MetricFamily] { self.families.values.sorted { $0.name < $1.name } }

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
