import Foundation

/// Where the chat is shown and typed: a terminal with a prompt, or plain lines.
struct ChatConsole: Sendable {
    private let output = StandardOutput.output
    private let palette: Palette
    /// `nil`: plain lines.
    private var screen: ChatScreen?
    private var decoder = KeyDecoder()
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
        let prompt = self.prompt
        let text =
            self.screen?.show(lines, prompt: prompt)
            ?? lines.map { $0.rendered(self.palette) + "\n" }.joined()
        try self.output.write(text)
    }

    /// Shows the prompt as it is now.
    mutating func refresh() throws(StandardOutput.Closed) {
        let prompt = self.prompt
        if let text = self.screen?.redraw(prompt) { try self.output.write(text) }
    }

    mutating func clear() throws(StandardOutput.Closed) {
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
