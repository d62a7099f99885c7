/// Facts about one thing: a name and a value a line, the values below each other.
struct FactTable: Equatable, Sendable {
    private static let gap = 2

    private var facts: [(name: String, values: [Cell])] = []

    /// - Parameter values: one a line; none at all is a dash.
    mutating func add(_ name: String, _ values: [Cell]) {
        self.facts.append((name, values.isEmpty ? [.none] : values))
    }

    mutating func add(_ name: String, _ value: Cell) {
        self.add(name, [value])
    }

    /// - Parameter width: columns of the terminal, where it is one: longer values go on below their beginning.
    func lines(_ palette: Palette, width: Int? = nil) -> [String] {
        let indent = (self.facts.map(\.name.columns).max() ?? 0) + Self.gap
        return self.facts.flatMap { fact in
            fact.values.enumerated().flatMap { index, value in
                let name = index == 0 ? fact.name : ""
                let blanks = String(repeating: " ", count: indent - name.columns)
                let spans = [
                    StyledLine.Span(text: name, style: .dim), StyledLine.Span(text: blanks, style: .normal),
                    StyledLine.Span(text: value.text, style: value.style),
                ]
                let line = StyledLine(spans: spans, indent: indent)
                return (width.map { line.folded(columns: $0) } ?? [line]).map { $0.rendered(palette) }
            }
        }
    }

    static func == (left: FactTable, right: FactTable) -> Bool {
        left.facts.elementsEqual(right.facts) { $0.name == $1.name && $0.values == $1.values }
    }
}
