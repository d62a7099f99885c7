/// The list of commands and keys, in place of the rooms and messages, and how far it is scrolled. Pure.
struct HelpPage: Equatable, Sendable {
    private static let commandColumns = 28

    /// The first line that is shown.
    private(set) var first = 0

    static let keys = [
        ("Ctrl-N, Ctrl-P", "the next room, the one before; also Alt-↓, Alt-↑"),
        ("Alt-1 to Alt-9", "the room of that number"),
        ("Alt-A", "the next room with something new"),
        ("Page Up, Page Down", "older messages, newer ones; Escape goes to the end"),
        ("Ctrl-R", "search: the arrows go from match to match, Escape ends it"),
        ("Alt-Enter", "another line of the same message"),
        ("Tab", "complete a name, a command or a room"),
        ("↑, ↓", "what you have sent before"),
        ("Ctrl-A, Ctrl-E", "to the beginning of the line, to its end"),
        ("Ctrl-K, Ctrl-U, Ctrl-W", "cut what is behind, what is before, the word before"),
        ("Ctrl-Y", "put in what was cut last"),
        ("Ctrl-C, Ctrl-D", "throw the line away, delete a character; leave if it is empty"),
        ("Ctrl-L, Ctrl-Z", "draw the screen anew; stop the chat until fg"),
    ]

    private static func lines(columns: Int) -> [StyledLine] {
        let parts = [
            ("Commands", ChatCommand.list), ("Keys", self.keys),
            ("For moderators", ModerationCommand.list),
        ]
        let lines = parts.flatMap { title, items in
            [StyledLine(" \(title)", .bold)]
                + items.map { command, meaning in
                    StyledLine(
                        spans: [
                            .init(text: "   \(command.padded(to: self.commandColumns))", style: .normal),
                            .init(text: meaning, style: .dim),
                        ],
                        indent: 3 + self.commandColumns
                    )
                }
        }
        return lines.flatMap { $0.folded(columns: columns) }
    }

    func rows(columns: Int, rows: Int) -> [StyledLine] {
        Array(Self.lines(columns: columns).dropFirst(self.first).prefix(rows))
    }

    /// Whether there is no more than these rows can show.
    static func fits(columns: Int, rows: Int) -> Bool { Self.lines(columns: columns).count <= rows }

    mutating func scroll(by count: Int, columns: Int, rows: Int) {
        self.first = min(max(self.first + count, 0), max(Self.lines(columns: columns).count - rows, 0))
    }
}
