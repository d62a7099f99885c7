/// Facts about one thing: a name and a value a line, the values below each other.
struct FactSheet: Equatable, Sendable {
    private static let gap = 2

    private var facts: [(name: String, values: [Cell])] = []

    /// - Parameter values: one a line; none at all is a dash.
    mutating func add(_ name: String, _ values: [Cell]) {
        self.facts.append((name, values.isEmpty ? [.none] : values))
    }

    mutating func add(_ name: String, _ value: Cell) {
        self.add(name, [value])
    }

    func lines(_ palette: Palette) -> [String] {
        let width = (self.facts.map(\.name.columns).max() ?? 0) + Self.gap
        return self.facts.flatMap { fact in
            fact.values.enumerated().map { index, value in
                let name = index == 0 ? fact.name : ""
                let blanks = String(repeating: " ", count: width - name.columns)
                return StyledLine(spans: [
                    StyledLine.Span(text: name, style: .dim), StyledLine.Span(text: blanks, style: .normal),
                    StyledLine.Span(text: value.text, style: value.style),
                ]).rendered(palette)
            }
        }
    }

    static func == (left: FactSheet, right: FactSheet) -> Bool {
        left.facts.elementsEqual(right.facts) { $0.name == $1.name && $0.values == $1.values }
    }
}
