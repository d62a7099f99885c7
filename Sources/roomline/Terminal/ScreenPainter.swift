/// Everything that stands on the screen, and where the cursor is.
struct ScreenFrame: Equatable, Sendable {
    struct Position: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    /// As many as the screen has rows, each exactly as wide as the screen.
    var rows: [StyledLine]
    /// Counted from 0.
    var cursor: Position
}

/// The output that makes a terminal show one frame after another: the rows that have changed. Pure.
///
/// Terminals disagree about the width of some characters, such as emoji that are made of several. Text to the right of
/// one is put into its column by number, so that nothing moves.
struct ScreenPainter: Sendable {
    private static let hideCursor = "\u{1b}[?25l"
    private static let showCursor = "\u{1b}[?25h"
    private static let clearScreen = "\u{1b}[0m\u{1b}[H\u{1b}[2J"
    private static let clearRow = "\u{1b}[2K"

    let palette: Palette
    /// `nil`: nobody knows what is on the screen.
    private var shown: ScreenFrame?

    init(palette: Palette) {
        self.palette = palette
    }

    /// Somebody else has written to the terminal, or its size has changed.
    mutating func forget() {
        self.shown = nil
    }

    /// - Returns: nothing if the screen shows that already.
    mutating func paint(_ frame: ScreenFrame) -> String {
        guard frame != self.shown else { return "" }
        var text = Self.hideCursor
        let known = self.shown.flatMap { $0.rows.count == frame.rows.count ? $0.rows : nil }
        if known == nil { text += Self.clearScreen }
        for (index, row) in frame.rows.enumerated() where known?[index] != row {
            text += "\u{1b}[\(index + 1);1H" + self.text(of: row)
        }
        self.shown = frame
        return text + "\u{1b}[\(frame.cursor.row + 1);\(frame.cursor.column + 1)H" + Self.showCursor
    }

    private func text(of row: StyledLine) -> String {
        guard row.spans.contains(where: { !$0.text.hasCertainWidth }) else { return row.rendered(self.palette) }
        var (text, column) = (Self.clearRow, 0)
        for span in row.spans {
            text += StyledLine(spans: [span]).rendered(self.palette)
            column += span.text.columns
            if !span.text.hasCertainWidth { text += "\u{1b}[\(column + 1)G" }
        }
        return text
    }
}

extension String {
    /// Whether all terminals give it the same width: Latin, Greek and Cyrillic letters, and the lines of boxes.
    fileprivate var hasCertainWidth: Bool {
        self.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x20..<0x300, 0x370..<0x483, 0x2010..<0x2020, 0x2026, 0x2190..<0x2194, 0x2500..<0x2580: true
            default: false
            }
        }
    }
}
