import Foundation

/// Where the chat is shown and typed: a terminal with a prompt, or plain lines.
struct ChatConsole: Sendable {
    private let output = StandardOutput.output
    private let palette: Palette
    /// `nil`: plain lines.
    private var screen: ChatScreen?
    private var decoder = KeyDecoder()
    /// The lines that were shown last, for showing them anew.
    private var shown: [StyledLine] = []
    private static let mostShown = 500
    var editor = LineEditor()
    /// The name in front of the prompt.
    var label = StyledLine(spans: [])
    var status = StyledLine(spans: [])

    /// - Parameter hasPrompt: whether keys come one by one.
    init(palette: Palette, hasPrompt: Bool) {
        self.palette = palette
        self.screen = hasPrompt ? ChatScreen(columns: TerminalSize.columns, palette: palette) : nil
    }

    var hasPrompt: Bool { self.screen != nil }
    var isPlain: Bool { self.palette == .plain }

    private var prompt: ChatScreen.Prompt {
        ChatScreen.Prompt(label: self.label, editor: self.editor, status: self.status)
    }

    mutating func keys(_ bytes: [UInt8]) -> [Key] {
        self.decoder.decode(bytes)
    }

    mutating func show(_ lines: [StyledLine]) throws(StandardOutput.Closed) {
        guard !lines.isEmpty else { return }
        if self.hasPrompt { self.remember(lines) }
        let prompt = self.prompt
        let text =
            self.screen?.show(lines, prompt: prompt)
            ?? lines.map { $0.rendered(self.palette) + "\n" }.joined()
        try self.output.write(text)
    }

    private mutating func remember(_ lines: [StyledLine]) {
        self.shown += lines
        if self.shown.count > 2 * Self.mostShown { self.shown.removeFirst(self.shown.count - Self.mostShown) }
    }

    /// Puts another line in the place of that which shows the same message.
    ///
    /// - Returns: false where there is none any more, or where lines cannot be taken back.
    mutating func replace(with line: StyledLine) throws(StandardOutput.Closed) -> Bool {
        guard let index = self.shown.firstIndex(where: { $0.message == line.message }) else { return false }
        self.shown[index] = line
        let prompt = self.prompt
        let text = self.screen?.repaint(self.shown, height: TerminalSize.current.rows, prompt: prompt)
        if let text { try self.output.write(text) }
        return text != nil
    }

    /// Shows the prompt as it is now.
    mutating func refresh() throws(StandardOutput.Closed) {
        let prompt = self.prompt
        if let text = self.screen?.redraw(prompt) { try self.output.write(text) }
    }

    mutating func clear() throws(StandardOutput.Closed) {
        self.shown = []
        let prompt = self.prompt
        if let text = self.screen?.clear(prompt) { try self.output.write(text) }
    }

    mutating func resize() throws(StandardOutput.Closed) {
        let prompt = self.prompt
        if let text = self.screen?.resized(columns: TerminalSize.columns, prompt) { try self.output.write(text) }
    }

    /// Gives the terminal back to the shell, until it says go on.
    mutating func suspend() throws(StandardOutput.Closed) {
        try self.close()
        raise(SIGSTOP)
        try self.resume()
    }

    /// Whoever had the terminal meanwhile may have changed it.
    mutating func resume() throws(StandardOutput.Closed) {
        guard self.hasPrompt else { return }
        RawMode.enter()
        try self.resize()
    }

    /// Takes the prompt away.
    mutating func close() throws(StandardOutput.Closed) {
        guard let text = self.screen?.erase() else { return }
        try self.output.write(text)
        RawMode.leave()
    }
}
