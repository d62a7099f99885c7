import Foundation

/// The terminal while `roomline stats --watch` has it: a screen beside the one with the shell's lines.
struct StatisticsScreen: Sendable {
    private let output: StandardOutput
    private let palette: Palette

    init(output: StandardOutput) {
        self.output = output
        self.palette = Palette(isTerminal: true, environment: ClientOptions.environment)
    }

    /// - Returns: whether standard input is a terminal, too.
    func open() throws(StandardOutput.Closed) -> Bool {
        guard RawMode.start() else { return false }
        try self.output.write("\u{1b}[?1049h\u{1b}[?25l")
        return true
    }

    /// Nothing of the view stays behind.
    func close() throws(StandardOutput.Closed) {
        try self.output.write("\u{1b}[?25h\u{1b}[?1049l")
        RawMode.leave()
    }

    /// Each row is written over the one before and only its rest is cleared, all in one write: nothing flickers.
    func show(_ view: StatisticsView) throws(StandardOutput.Closed) {
        let size = TerminalSize.current
        let rows = view.rows(columns: size.columns, rows: size.rows)
        let text = rows.map { $0.rendered(self.palette) + "\u{1b}[K" }.joined(separator: "\r\n")
        try self.output.write("\u{1b}[H\(text)\u{1b}[J")
    }
}
