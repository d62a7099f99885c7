import Foundation
import RoomModel

/// One line for a terminal: pieces of text, each in its style, and how far the rows under the first are set in.
struct StyledLine: Equatable, Sendable {
    enum Style: Equatable, Sendable {
        case normal
        case dim
        /// All is well: green.
        case good
        /// To be looked at: yellow.
        case warning
        /// Something is wrong: red.
        case bad
        case bold
        /// The colours of the terminal the other way round.
        case inverse
        /// A match of a search.
        case found
        /// Bold, and in this colour.
        case name(NameColor)
    }

    struct Span: Equatable, Sendable {
        var text: String
        var style: Style
    }

    var spans: [Span]
    var indent = 0

    static func dim(_ text: String, indent: Int = 0) -> StyledLine {
        StyledLine(spans: [Span(text: text, style: .dim)], indent: indent)
    }

    static func normal(_ text: String, indent: Int = 0) -> StyledLine {
        StyledLine(spans: [Span(text: text, style: .normal)], indent: indent)
    }

    /// The same in one style, as what is not news any more.
    var dimmed: StyledLine {
        var line = self
        line.spans = self.spans.map { Span(text: $0.text, style: .dim) }
        return line
    }

    /// The text without its styles.
    var text: String { self.spans.map(\.text).joined() }
    var columns: Int { self.spans.reduce(0) { $0 + $1.text.columns } }
}

extension StyledLine {
    init(_ text: String, _ style: Style) { self.init(spans: [Span(text: text, style: style)]) }
}

extension StyledLine {
    /// With the escape codes of the palette. Each span ends as the terminal was before.
    func rendered(_ palette: Palette) -> String {
        self.spans.map { span in
            let codes = span.style.parameters(in: palette).map(String.init).joined(separator: ";")
            return codes.isEmpty || span.text.isEmpty ? span.text : "\u{1b}[\(codes)m\(span.text)\u{1b}[0m"
        }.joined()
    }

    /// The line as the rows of a terminal, broken between words, so that nothing of a long text looks like a line of its own.
    ///
    /// A word that is longer than a row is left to the terminal to break: it can still be clicked on and copied. It has no
    /// spaces, and no text without spaces looks like one of our lines.
    func rows(columns: Int) -> [StyledLine] {
        guard self.columns > columns, columns > self.indent + 10 else { return [self] }
        var rows = RowBuilder(columns: columns, indent: self.indent)
        for span in self.spans {
            for word in span.text.words { rows.add(word, span.style) }
        }
        return rows.finish()
    }

    /// The line as rows of which none is wider than that, for a part of the screen that has something beside it.
    func folded(columns: Int) -> [StyledLine] {
        guard self.columns > columns else { return [self] }
        var rows = RowBuilder(
            columns: max(columns, 2),
            indent: columns > self.indent + 10 ? self.indent : 0,
            breaksWords: true
        )
        for span in self.spans {
            for word in span.text.words { rows.add(word, span.style) }
        }
        return rows.finish()
    }

    /// As much of the beginning as fits, and blanks up to that width.
    func fitted(toColumns columns: Int) -> StyledLine {
        var spans: [Span] = []
        var used = 0
        for span in self.spans where used < columns {
            let text = span.text.shortened(toColumns: columns - used)
            used += text.columns
            spans.append(Span(text: text, style: span.style))
        }
        if used < columns {
            let blanks = String(repeating: " ", count: columns - used)
            // A bar goes on to the edge. A word that stands out ends where it ends.
            let isBar = !spans.isEmpty && spans.allSatisfy { $0.style == .inverse }
            // The last piece may end in a column that a wide character does not fit into.
            spans.append(Span(text: blanks, style: isBar ? .inverse : .normal))
        }
        return StyledLine(spans: spans)
    }
}

extension StyledLine.Style {
    fileprivate func parameters(in palette: Palette) -> [Int] {
        guard palette != .plain else { return [] }
        switch self {
        case .normal: return []
        case .dim: return [2]
        case .good: return palette == .monochrome ? [] : [32]
        case .warning: return palette == .monochrome ? [] : [33]
        case .bad: return palette == .monochrome ? [] : [31]
        case .bold: return [1]
        case .inverse: return [7]
        case .found: return [4, 7]
        case .name(let color): return [1] + color.parameters(in: palette)
        }
    }
}

/// Fills rows with words.
private struct RowBuilder {
    private let limit: Int
    private let indent: Int
    /// Or they are left to the terminal.
    private let breaksWords: Bool
    private var rows: [StyledLine] = []
    private var row = StyledLine(spans: [])
    private var used = 0

    init(columns: Int, indent: Int, breaksWords: Bool = false) {
        self.limit = columns
        self.indent = indent
        self.breaksWords = breaksWords
    }

    mutating func add(_ word: Substring, _ style: StyledLine.Style) {
        let width = word.columns
        if self.used + width > self.limit, self.used > self.indent {
            // The space at which a row is broken is not in the next.
            if word.first == " " { return }
            self.breakRow()
        }
        if self.breaksWords, width > self.limit - self.used {
            return self.addByCharacter(word, style)
        }
        self.used += width
        // After a word that is longer than a row comes another row, or what follows it could begin at the edge.
        if self.used > self.limit { self.used = self.limit }
        self.append(word, style)
    }

    private mutating func addByCharacter(_ word: Substring, _ style: StyledLine.Style) {
        for index in word.indices {
            let width = word[index].columns
            if self.used + width > self.limit { self.breakRow() }
            self.used += width
            self.append(word[index...index], style)
        }
    }

    private mutating func append(_ text: Substring, _ style: StyledLine.Style) {
        if self.row.spans.last?.style == style {
            self.row.spans[self.row.spans.count - 1].text += text
        } else {
            self.row.spans.append(StyledLine.Span(text: String(text), style: style))
        }
    }

    private mutating func breakRow() {
        self.rows.append(self.row)
        self.row = StyledLine.normal(String(repeating: " ", count: self.indent))
        self.used = self.indent
    }

    mutating func finish() -> [StyledLine] {
        self.breakRow()
        return self.rows
    }
}

extension String {
    /// The pieces between which a row may be broken: single spaces and wide characters, and what is between them.
    fileprivate var words: [Substring] {
        var words: [Substring] = []
        var start = self.startIndex
        for index in self.indices where self[index] == " " || self[index].columns == 2 {
            if start < index { words.append(self[start..<index]) }
            start = self.index(after: index)
            words.append(self[index..<start])
        }
        if start < self.endIndex { words.append(self[start...]) }
        return words
    }
}
