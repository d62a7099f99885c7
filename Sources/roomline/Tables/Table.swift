/// Rows under a head, in columns as wide as what stands in them.
struct Table: Equatable, Sendable {
    /// Numbers are set to the right, below each other.
    enum Column: Equatable, Sendable {
        case text(String)
        case number(String)

        fileprivate var title: String {
            switch self {
            case .text(let title), .number(let title): title
            }
        }
    }

    private static let gap = 2

    private let columns: [Column]
    private let rows: [[Cell]]

    init(_ columns: [Column], _ rows: [[Cell]]) {
        self.columns = columns
        self.rows = rows
    }

    /// - Parameter width: columns of the terminal, where it is one; the last column of the table is cut there.
    func lines(_ palette: Palette, width: Int? = nil) -> [String] {
        let head = self.columns.map { Cell($0.title, style: .dim) }
        let all = [head] + self.rows
        let widths = self.columns.indices.map { column in all.map { $0[column].text.columns }.max() ?? 0 }
        return all.map { self.line($0, widths, width).rendered(palette) }
    }

    private func line(_ row: [Cell], _ widths: [Int], _ width: Int?) -> StyledLine {
        var line = StyledLine(spans: [])
        for (index, cell) in row.enumerated() {
            let isLast = index == row.count - 1
            let used = line.columns
            let text = isLast ? width.map { cell.text.shortened(toColumns: max($0 - used, 1)) } ?? cell.text : cell.text
            let blanks = StyledLine.Span(
                text: String(repeating: " ", count: max(widths[index] - text.columns, 0)),
                style: .normal
            )
            let shown = StyledLine.Span(text: text, style: cell.style)
            switch self.columns[index] {
            case .number: line.spans += [blanks, shown]
            case .text: line.spans += isLast ? [shown] : [shown, blanks]
            }
            if !isLast {
                line.spans.append(StyledLine.Span(text: String(repeating: " ", count: Self.gap), style: .normal))
            }
        }
        return line
    }
}

/// The content of one place of a table: one line that a terminal only shows and does not obey.
struct Cell: Equatable, Sendable {
    let text: String
    let style: StyledLine.Style

    init(_ text: String, style: StyledLine.Style = .normal) {
        self.text = TerminalText.line(text)
        self.style = style
    }

    init(_ number: some BinaryInteger) {
        self.init("\(number)")
    }

    static let none = Cell("-", style: .dim)

    /// A dash for what there is not.
    static func optional<Value>(_ value: Value?, _ text: (Value) -> String) -> Cell {
        value.map { Cell(text($0)) } ?? .none
    }

    /// The name of a person, in the colour that others see.
    static func name(of person: Person) -> Cell {
        person.name.map { Cell($0, style: .name(person.color)) } ?? .none
    }
}
