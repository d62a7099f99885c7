/// Rows under a head, in columns as wide as what stands in them.
struct Table: Equatable, Sendable {
    /// Numbers are set to the right, below each other. Where a terminal is too narrow, texts are cut (names in their middle), and of moments the seconds go
    /// first; ids, which are to be typed again, stay whole.
    enum Column: Equatable, Sendable {
        case text(String)
        case number(String)
        case moment(String)
        case id(String)
    }

    private static let gap = 2
    /// `2026-11-21 15:12`
    fileprivate static let minutesColumns = 16
    /// `2026-11-21`
    fileprivate static let dayColumns = 10
    /// So much of a text is left as long as the hour of a time can go.
    private static let usualText = 16

    private let columns: [Column]
    private let rows: [[Cell]]

    init(_ columns: [Column], _ rows: [[Cell]]) {
        self.columns = columns
        self.rows = rows
    }

    /// - Parameter width: columns of the terminal, where it is one; no line is wider.
    func lines(_ palette: Palette, width: Int? = nil) -> [String] {
        let head = self.columns.map { Cell($0.title, style: .dim) }
        let all = [head] + self.rows
        var widths = self.columns.indices.map { column in all.map { $0[column].text.columns }.max() ?? 0 }
        if let width { self.fit(&widths, into: width) }
        return all.map { self.line($0, widths).rendered(palette) }
    }

    /// Takes from the columns what is missing: the seconds of times and the ends of long texts first, then the rest of the day and
    /// more of the texts, the widest first.
    private func fit(_ widths: inout [Int], into width: Int) {
        let room = width - Self.gap * max(self.columns.count - 1, 0)
        let moments = self.columns.indices.filter { self.columns[$0].isMoment }
        let texts = self.columns.indices.filter { self.columns[$0].isText }
        for (momentColumns, textColumns) in [(Self.minutesColumns, Self.usualText), (Self.dayColumns, 1)] {
            for column in moments where widths.reduce(0, +) > room {
                widths[column] = min(widths[column], momentColumns)
            }
            while widths.reduce(0, +) > room, let widest = texts.reversed().max(by: { widths[$0] < widths[$1] }),
                widths[widest] > textColumns
            {
                widths[widest] -= 1
            }
        }
        // What does not fit even so ends with the terminal, from the right.
        for column in widths.indices.reversed() where widths.reduce(0, +) > room {
            widths[column] = max(widths[column] - (widths.reduce(0, +) - room), 0)
        }
    }

    private func line(_ row: [Cell], _ widths: [Int]) -> StyledLine {
        var line = StyledLine(spans: [])
        for (index, cell) in row.enumerated() {
            let isLast = index == row.count - 1
            let text = self.columns[index].cut(cell.text, to: widths[index])
            let blanks = StyledLine.Span(
                text: String(repeating: " ", count: max(widths[index] - text.columns, 0)),
                style: .normal
            )
            let shown = StyledLine.Span(text: text, style: cell.style)
            switch self.columns[index] {
            case .number: line.spans += [blanks, shown]
            case .text, .moment, .id: line.spans += isLast ? [shown] : [shown, blanks]
            }
            if !isLast {
                line.spans.append(StyledLine.Span(text: String(repeating: " ", count: Self.gap), style: .normal))
            }
        }
        return line
    }
}

extension Table.Column {
    fileprivate var title: String {
        switch self {
        case .text(let title), .number(let title), .moment(let title), .id(let title): title
        }
    }

    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }

    fileprivate var isMoment: Bool {
        if case .moment = self { true } else { false }
    }

    /// A time without its seconds is a time without a mark of what is missing.
    fileprivate func cut(_ text: String, to columns: Int) -> String {
        guard text.columns > columns else { return text }
        guard self.isMoment, columns >= Table.dayColumns else {
            // a name, or the kind of a name and it
            let isName = self.isText && text.count(where: { $0 == " " }) <= 1
            return isName ? text.shortenedInside(toColumns: columns) : text.shortened(toColumns: columns)
        }
        return String(text.prefix(columns >= Table.minutesColumns ? Table.minutesColumns : Table.dayColumns))
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
