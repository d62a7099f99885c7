/// What stands at one place of a table: one line that a terminal only shows and does not obey.
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

    /// Who it is, in the colour that others see.
    static func name(of person: Person) -> Cell {
        person.name.map { Cell($0, style: .name(person.color)) } ?? .none
    }
}
