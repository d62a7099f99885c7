/// Makes what others have written fit to be shown: it stays in its line and in the direction of reading, and nobody can forge
/// a line or take over a terminal with it.
enum TerminalText {
    /// Marks stacked on one character beyond this many are dropped: they would cover the lines above and below.
    private static let highestStack = 4
    private static let tabStop = 4
    /// The most columns of a name, where it is shown, and where it is one's own.
    static let longestName = 24
    static let longestOwnName = 60
    /// The columns of a name that a moderator writes.
    static let longestWholeName = 200
    /// Letters and marks that nobody can see, and that are no spaces by name.
    private static let blanks: Set<Unicode.Scalar> = ["\u{115f}", "\u{1160}", "\u{2800}", "\u{3164}", "\u{ffa0}"]

    /// A text as one line.
    static func line(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var stack = 0
        for character in text {
            for scalar in character == "\r\n" ? " ".unicodeScalars : character.unicodeScalars {
                guard let shown = self.shown(scalar) else { continue }
                stack = shown.isMark ? stack + 1 : 0
                if stack <= self.highestStack { result.append(shown) }
            }
        }
        return String(result)
    }

    /// A text of several lines, each fit to be shown.
    static func lines(_ text: String) -> [String] {
        self.linesWithTabs(text).map { self.expanded($0) }
    }

    /// The same with the tabs as they are: what is sent has them, and only what is shown has blanks for them.
    static func linesWithTabs(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { self.line(String($0)) }
                .joined(separator: "\t")
        }
    }

    /// Blanks for the tabs of a line, up to the next of the columns that a tab leads to.
    static func expanded(_ line: String) -> String {
        guard line.contains("\t") else { return line }
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
        return cells.dropLast().reduce(into: "") { text, cell in
            text += cell
            text += String(repeating: " ", count: self.tabStop - text.columns % self.tabStop)
        } + (cells.last ?? "")
    }

    /// A name: without blanks around it, not too long, and without a ": " that would make the rest of it look like a text.
    ///
    /// - Returns: `nil` where nothing is left of it.
    static func name(_ text: String, upTo columns: Int = longestName) -> String? {
        let words = self.line(text).split(separator: " ").map { word in
            word.last == ":" ? word.reversed().drop { $0 == ":" }.reversed() : Array(word)
        }
        let name = words.filter { !$0.isEmpty }.map { String($0) }.joined(separator: " ")
        return name.columns == 0 ? nil : name.shortened(toColumns: columns)
    }

    /// A text by which names are compared that look alike: in lower case, and without what nobody can see
    /// (`Default_Ignorable_Code_Point`, UAX #44).
    static func key(_ name: some StringProtocol) -> String {
        let visible = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(String.UnicodeScalarView(visible)).lowercased()
    }

    /// A user: one that could be taken for another one, or for more than a user, is in quotes, with escapes for what nobody sees.
    static func user(_ user: String) -> String {
        let isShown = self.line(user) == user && self.key(user) == user.lowercased()
        let isPlain = isShown && !user.isEmpty && !user.contains { " ,\"\\".contains($0) }
        return isPlain ? user : "\"\(user.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
    }

    /// Reads a user as `user(_:)` writes it.
    static func readUser(_ text: Substring) -> String {
        guard text.count > 1, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing(/\\u\{([0-9a-fA-F]+)\}|\\(.)/) { escape in
            if let letter = escape.2 { return ["t": "\t", "n": "\n", "r": "\r", "0": "\0"][letter] ?? String(letter) }
            let scalar = escape.1.flatMap { UInt32($0, radix: 16) }.flatMap(Unicode.Scalar.init)
            return scalar.map { String($0) } ?? String(escape.0)
        }
    }

    /// The scalar that stands for it: itself, a space, or none.
    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if 0x20..<0x7f ~= scalar.value { return scalar }
        switch scalar.properties.generalCategory {
        case .control: return scalar.properties.isWhitespace ? " " : nil
        case .lineSeparator, .paragraphSeparator, .spaceSeparator: return " "
        // Bidirectional overrides and isolates, zero-width spaces, tags. The joiners hold emoji and scripts together.
        case .format: return scalar == "\u{200c}" || scalar == "\u{200d}" ? scalar : nil
        default: break
        }
        if scalar.properties.isNoncharacterCodePoint { return nil }
        return self.blanks.contains(scalar) ? " " : scalar
    }
}
