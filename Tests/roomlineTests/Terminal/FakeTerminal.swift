/// A terminal, as far as ``ChatScreen`` knows one: rows that scroll away at the top, a cursor, and the few codes that it uses.
/// What it does not know fails the test.
struct FakeTerminal {
    private(set) var rows: [[Character]]
    private(set) var row = 0
    private(set) var column = 0
    private(set) var unknown: [String] = []
    let columns: Int
    let height: Int

    init(columns: Int, height: Int) {
        self.columns = columns
        self.height = height
        self.rows = [[]]
    }

    /// All rows, those that have scrolled away included, without blanks at their ends and empty rows at the end.
    var text: [String] {
        var lines = self.rows.map { String($0).trimmed }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The text of the cursor's row to the left of it.
    var beforeCursor: String { String(self.rows[self.row].prefix(self.column)) }

    mutating func write(_ text: String) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\u{1b}": self.escape(&rest)
            case "\r\n":
                self.column = 0
                self.down()
            case "\r": self.column = 0
            case "\n": self.down()
            default: self.put(character)
            }
        }
    }

    private mutating func escape(_ rest: inout Substring) {
        let sequence = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(sequence.count)
        let final = rest.popFirst() ?? "?"
        let number = Int(sequence.dropFirst()) ?? 1
        switch final {
        case "A": self.row = max(self.row - number, max(0, self.rows.count - self.height))
        case "C": self.column = min(self.column + number, self.columns - 1)
        case "H": (self.row, self.column) = (max(0, self.rows.count - self.height), 0)
        case "J":
            self.clearRow()
            self.rows.removeSubrange((self.row + 1)...)
        case "K": self.clearRow()
        case "m": break
        default: self.unknown.append(sequence + String(final))
        }
    }

    private mutating func clearRow() {
        self.rows[self.row].removeLast(max(0, self.rows[self.row].count - self.column))
    }

    private mutating func down() {
        self.row += 1
        if self.row == self.rows.count { self.rows.append([]) }
    }

    private mutating func put(_ character: Character) {
        if self.column == self.columns {
            self.column = 0
            self.down()
        }
        while self.rows[self.row].count < self.column { self.rows[self.row].append(" ") }
        if self.column < self.rows[self.row].count {
            self.rows[self.row][self.column] = character
        } else {
            self.rows[self.row].append(character)
        }
        self.column += 1
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
