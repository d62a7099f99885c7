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

    /// A text as JSON has it, with escapes for what nobody sees.
    static func json(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            self.isSeen(scalar) ? String(scalar) : scalar.utf16.map { "\\u" + self.hexadecimal($0) }.joined()
        }.joined()
    }

    /// Whether a scalar shows as itself.
    static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        self.shown(scalar) == scalar && !scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Four digits, or eight.
    static func hexadecimal(_ number: some FixedWidthInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, (digits.count > 4 ? 8 : 4) - digits.count)) + digits
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
