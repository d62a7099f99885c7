/// The output that makes lines appear on a terminal above a prompt that is being edited, and scroll away like any other
/// output. Pure: makes strings of escape codes, and remembers only what is needed to erase the prompt again.
///
/// The prompt area is two rows at the end of the output: the line being edited, with the cursor in it, and a dim status row.
struct ChatScreen: Sendable {
    struct Prompt: Sendable {
        var label: StyledLine
        var editor: LineEditor
        var status: StyledLine
    }

    private static let clearToEnd = "\u{1b}[J"
    private static let clearRow = "\u{1b}[K"
    private static let home = "\u{1b}[H"
    private static let newRow = "\r\n"

    let palette: Palette
    private var columns: Int
    /// Where the cursor was left in the prompt's row; `nil` while there is no prompt on the screen.
    private var cursor: Int?

    init(columns: Int, palette: Palette) {
        self.columns = max(columns, 1)
        self.palette = palette
    }

    /// The lines, above the prompt.
    mutating func show(_ lines: [StyledLine], prompt: Prompt) -> String {
        let rows = lines.flatMap { $0.rows(columns: self.columns) }
        let text = rows.map { $0.rendered(self.palette) + Self.newRow }.joined()
        return self.erase() + text + self.draw(prompt)
    }

    /// The prompt, which has changed.
    mutating func redraw(_ prompt: Prompt) -> String {
        self.cursor == nil ? self.draw(prompt) : self.toPrompt + self.draw(prompt)
    }

    /// The screen anew, because some of its lines are others now: as many of the last ones as fit above the prompt.
    mutating func repaint(_ lines: [StyledLine], height: Int, prompt: Prompt) -> String {
        let rows = lines.flatMap { $0.rows(columns: self.columns) }.suffix(max(height - 2, 0))
        let text = rows.map { $0.rendered(self.palette) + Self.newRow }.joined()
        return Self.home + Self.clearToEnd + text + self.draw(prompt)
    }

    /// The prompt in the first row of an empty screen.
    mutating func clear(_ prompt: Prompt) -> String {
        Self.home + Self.clearToEnd + self.draw(prompt)
    }

    /// The prompt, after the window has got another size. The terminal has broken its rows anew.
    mutating func resized(columns: Int, _ prompt: Prompt) -> String {
        self.columns = max(columns, 1)
        return self.erase() + self.draw(prompt)
    }

    /// Takes the prompt away. Further output starts where it was.
    mutating func erase() -> String {
        guard self.cursor != nil else { return "" }
        let text = self.toPrompt + Self.clearToEnd
        self.cursor = nil
        return text
    }

    /// From the cursor to the beginning of the prompt, which may be some rows up when the window has become narrower.
    private var toPrompt: String {
        let rows = (self.cursor ?? 0) / self.columns
        return rows > 0 ? "\u{1b}[\(rows)A\r" : "\r"
    }

    private mutating func draw(_ prompt: Prompt) -> String {
        // The last column stays free: writing there makes terminals disagree about where the cursor is.
        let width = self.columns - 1
        let label = prompt.label.columns * 2 < width ? prompt.label : StyledLine(spans: [])
        let view = prompt.editor.view(columns: width - label.columns - 2)
        let line = StyledLine(
            spans: label.spans + [
                .init(text: view.isCutLeft ? ">…" : "> ", style: .dim),
                .init(text: view.text, style: .normal),
                .init(text: view.isCutRight ? "…" : "", style: .dim),
            ]
        )
        let status = StyledLine.dim(prompt.status.text.shortened(toColumns: width))
        let cursor = min(label.columns + 2 + view.cursor, width)
        self.cursor = cursor
        return [
            line.rendered(self.palette), Self.clearRow, Self.newRow, status.rendered(self.palette), Self.clearToEnd,
            "\u{1b}[A\r", cursor > 0 ? "\u{1b}[\(cursor)C" : "",
        ].joined()
    }
}
