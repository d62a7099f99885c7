import Testing

@testable import roomline

@Suite struct ChatScreenTests {
    private var screen = ChatScreen(columns: 30, palette: .ansi256)
    private var terminal = FakeTerminal(columns: 30, height: 6)
    private var prompt = ChatScreen.Prompt(label: .normal("Luke"), editor: LineEditor(), status: .dim("lobby"))

    @Test mutating func `a line appears above the prompt that is being edited`() {
        self.terminal.write("$ roomline chat\r\n")
        self.terminal.write(self.screen.redraw(self.prompt))
        _ = self.prompt.editor.press(.pasted("hel"))
        self.terminal.write(self.screen.redraw(self.prompt))
        self.terminal.write(self.screen.show([.normal("Leia: hi")], prompt: self.prompt))
        _ = self.prompt.editor.press(.text("p"))
        self.terminal.write(self.screen.redraw(self.prompt))
        #expect(self.terminal.text == ["$ roomline chat", "Leia: hi", "Luke> help", "lobby"])
        #expect(self.terminal.beforeCursor == "Luke> help")
        #expect(self.terminal.unknown == [])
    }

    @Test mutating func `lines scroll away and stay`() {
        for number in 0..<20 {
            self.terminal.write(self.screen.show([.normal("line \(number)")], prompt: self.prompt))
        }
        #expect(self.terminal.text == (0..<20).map { "line \($0)" } + ["Luke>", "lobby"])
    }

    @Test mutating func `a shorter line leaves nothing of the longer one`() {
        _ = self.prompt.editor.press(.pasted("a long one"))
        self.prompt.status = .dim("lobby, Leia is typing")
        self.terminal.write(self.screen.redraw(self.prompt))
        _ = self.prompt.editor.press(.control("u"))
        self.prompt.status = .dim("lobby")
        self.terminal.write(self.screen.redraw(self.prompt))
        #expect(self.terminal.text == ["Luke>", "lobby"])
    }

    @Test mutating func `the cursor is where the editor has it`() {
        _ = self.prompt.editor.press(.pasted("hello"))
        _ = self.prompt.editor.press(.left)
        _ = self.prompt.editor.press(.left)
        self.terminal.write(self.screen.redraw(self.prompt))
        #expect(self.terminal.beforeCursor == "Luke> hel")
    }

    @Test mutating func `a line that is too long scrolls within its row`() {
        _ = self.prompt.editor.press(.pasted("one two three four five six seven"))
        self.terminal.write(self.screen.redraw(self.prompt))
        #expect(self.terminal.text == ["Luke>…ee four five six seven", "lobby"])
        #expect(self.terminal.column < 30)
        _ = self.prompt.editor.press(.home)
        self.terminal.write(self.screen.redraw(self.prompt))
        #expect(self.terminal.text == ["Luke> one two three four fiv…", "lobby"])
        #expect(self.terminal.beforeCursor == "Luke> ")
    }

    @Test mutating func `a status that is too long is cut`() {
        self.prompt.status = .dim(String(repeating: "status ", count: 10))
        self.terminal.write(self.screen.redraw(self.prompt))
        #expect(self.terminal.text.count == 2)
    }

    @Test mutating func `a long line is broken into rows`() {
        let line = StyledLine.normal("Leia: a text that is longer than the window", indent: 4)
        self.terminal.write(self.screen.show([line], prompt: self.prompt))
        #expect(self.terminal.text == ["Leia: a text that is longer", "    than the window", "Luke>", "lobby"])
    }

    @Test mutating func `erased, the prompt leaves no trace`() {
        self.terminal.write(self.screen.show([.normal("Leia: hi")], prompt: self.prompt))
        self.terminal.write(self.screen.erase())
        #expect(self.terminal.text == ["Leia: hi"])
        #expect(self.terminal.beforeCursor == "")
        #expect(self.screen.erase() == "")
    }

    @Test mutating func `a line of the screen can become another one`() {
        var lines = (0..<10).map { StyledLine.normal("line \($0)") }
        self.terminal.write(self.screen.show(lines, prompt: self.prompt))
        lines[8] = .normal("a line that is too long for one row")
        self.terminal.write(self.screen.repaint(lines, height: 6, prompt: self.prompt))
        #expect(
            self.terminal.text.suffix(6) == [
                "line 7", "a line that is too long for", "one row", "line 9", "Luke>", "lobby",
            ]
        )
        #expect(self.terminal.beforeCursor == "Luke> ")
        #expect(self.terminal.unknown == [])
    }

    @Test mutating func `cleared, only the prompt is left`() {
        for _ in 0..<10 { self.terminal.write(self.screen.show([.normal("line")], prompt: self.prompt)) }
        self.terminal.write(self.screen.clear(self.prompt))
        #expect(self.terminal.text.suffix(2) == ["Luke>", "lobby"])
        #expect(self.terminal.beforeCursor == "Luke> ")
    }

    @Test mutating func `a narrower window has broken the prompt into more rows`() {
        _ = self.prompt.editor.press(.pasted("some words to say"))
        self.terminal.write(self.screen.show([.normal("Leia: hi")], prompt: self.prompt))
        // As a terminal does that breaks its rows anew.
        var narrow = FakeTerminal(columns: 12, height: 6)
        narrow.write("Leia: hi\r\nLuke> some words to say\r\nlobby\u{1b}[A\r\u{1b}[11C")
        narrow.write(self.screen.resized(columns: 12, self.prompt))
        #expect(narrow.text.first == "Leia: hi")
        #expect(narrow.text.last == "lobby")
        #expect(narrow.text.count == 3)
    }

    @Test(arguments: 0..<12)
    mutating func `a window can be as narrow as it likes`(columns: Int) {
        _ = self.prompt.editor.press(.pasted("some 日本語 to say"))
        let text =
            self.screen.resized(columns: columns, self.prompt) + self.screen.show([.normal("hi")], prompt: self.prompt)
        #expect(!text.isEmpty)
    }
}
