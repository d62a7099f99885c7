import Testing

@testable import roomline

@Suite struct LineEditorTests {
    /// Types text and presses keys; `|` in what comes out is the cursor.
    private static func edited(_ text: String, _ keys: [Key]) -> String {
        var editor = LineEditor()
        for scalar in text.unicodeScalars { _ = editor.press(.text(scalar)) }
        for key in keys { _ = editor.press(key) }
        return "\(editor.before)|\(editor.after)"
    }

    @Test(
        arguments: [
            ("", [], "|"),
            ("abc", [], "abc|"),
            ("abc", [.left, .text("x")], "abx|c"),
            ("abc", [.left, .left, .left, .left, .right], "a|bc"),
            ("abc", [.home, .text("x")], "x|abc"),
            ("abc", [.home, .end], "abc|"),
            ("abc", [.control("a"), .control("f"), .control("e"), .control("b")], "ab|c"),
            ("abc", [.backspace], "ab|"),
            ("", [.backspace, .delete, .left, .right], "|"),
            ("abc", [.home, .delete], "|bc"),
            ("abc", [.home, .control("d")], "|bc"),
            ("abc", [.left, .control("k")], "ab|"),
            ("abc", [.left, .control("u")], "|c"),
            ("abc", [.left, .control("u"), .end, .control("y")], "cab|"),
            ("one two", [.control("w")], "one |"),
            ("one two  ", [.control("w")], "one |"),
            ("one /a-b", [.control("w")], "one |"),
            ("one a-b", [.deleteWordLeft], "one a-|"),
            ("one two", [.wordLeft], "one |two"),
            ("one two", [.wordLeft, .wordLeft, .wordLeft], "|one two"),
            ("one two", [.home, .wordRight], "one| two"),
            ("one two", [.home, .wordRight, .wordRight, .wordRight], "one two|"),
            ("one two", [.home, .deleteWordRight], "| two"),
            ("one", [.pasted(" two\r\nthree\u{1b}[31m")], "one two\nthree[31m|"),
            ("one", [.up, .down], "one|"),
        ] as [(String, [Key], String)]
    )
    func `keys edit the line`(text: String, keys: [Key], result: String) {
        #expect(Self.edited(text, keys) == result)
    }

    @Test func `lines are kept, and nothing else that a terminal obeys`() {
        var editor = LineEditor()
        _ = editor.press(.pasted("one\r\n  two\u{1b}[31m\rthree"))
        _ = editor.press(.altEnter)
        #expect(editor.text == "one\n  two[31m\nthree\n")
    }

    @Test func `a tab of several lines is sent as it is, and only shown as blanks`() {
        var editor = LineEditor()
        _ = editor.press(.pasted("if x:\n\tgo()\n\t\tab\tc"))
        #expect(editor.lineViews(columns: 40).views.map(\.text) == ["if x:", "    go()", "        ab  c"])
        #expect(editor.lineViews(columns: 40).views.last?.cursor == 13)
        #expect(editor.press(.enter) == .entered("if x:\n\tgo()\n\t\tab\tc"))
    }

    @Test(arguments: ["e\u{301}", "👩‍👩‍👧‍👦", "🇸🇪", "👍🏽", "日", "❤️"])
    func `a character that people see as one is one`(character: String) {
        #expect(Self.edited("a\(character)b", [.left, .backspace]) == "a|b")
        #expect(Self.edited("a\(character)", [.left]) == "a|\(character)")
    }

    @Test func `enter gives the line and empties it`() {
        var editor = LineEditor()
        for scalar in "hello".unicodeScalars { _ = editor.press(.text(scalar)) }
        _ = editor.press(.left)
        #expect(editor.press(.enter) == .entered("hello"))
        #expect(editor.isEmpty)
        #expect(editor.press(.enter) == .entered(""))
    }

    @Test func `the arrows bring back lines, and in the end the one being typed`() {
        var editor = LineEditor()
        for line in ["one", "two", "two", "  "] {
            _ = editor.press(.pasted(line))
            _ = editor.press(.enter)
        }
        _ = editor.press(.pasted("draft"))
        let seen = [Key.up, .up, .up, .down, .down, .down].map { key in
            _ = editor.press(key)
            return editor.text
        }
        #expect(seen == ["two", "one", "one", "two", "draft", "draft"])
    }

    @Test func `what is pasted and does not fit is told, and is not there`() {
        var editor = LineEditor()
        #expect(editor.press(.pasted("hello")) == .edited)
        let large = String(repeating: "x", count: LineEditor.longestLine)
        #expect(editor.press(.pasted(large)) == .tooLong)
        #expect(editor.text == "hello")
        #expect(editor.press(.pasted(String(large.dropLast(5)))) == .edited)
        #expect(editor.press(.text("y")) == .edited)
        #expect(editor.text.utf8.count == LineEditor.longestLine)
    }

    @Test func `ctrl-c throws the line away, and ends when there is none`() {
        var editor = LineEditor()
        _ = editor.press(.pasted("not this"))
        #expect(editor.press(.control("c")) == .edited)
        #expect(editor.isEmpty)
        #expect(editor.press(.control("c")) == .ended)
        _ = editor.press(.up)
        #expect(editor.text == "not this")
    }

    @Test(arguments: [
        (Key.control("d"), LineEditor.Outcome.ended), (.control("l"), .clearScreen), (.control("z"), .suspended),
        (.tab, .completionWanted), (.control("g"), .none),
    ])
    func `some keys are for somebody else`(key: Key, outcome: LineEditor.Outcome) {
        var editor = LineEditor()
        #expect(editor.press(key) == outcome)
    }

    @Test func `a line has an end`() {
        var editor = LineEditor()
        for _ in 0..<100 { _ = editor.press(.pasted(String(repeating: "x", count: 1_000))) }
        #expect(editor.text.utf8.count <= 32 * 1024)
    }

    @Test func `random keys never break it`() {
        var random = SystemRandomNumberGenerator()
        let keys: [Key] = [
            .text("a"), .text("\u{301}"), .text("日"), .text(" "), .text("\u{200d}"), .text("👩"), .pasted("x y"), .left,
            .right, .home, .end, .wordLeft, .wordRight, .backspace, .delete, .deleteWordLeft, .deleteWordRight, .up,
            .down,
            .enter, .control("k"), .control("u"), .control("w"), .control("y"), .control("c"),
        ]
        var editor = LineEditor()
        for _ in 0..<5_000 {
            guard let key = keys.randomElement(using: &random) else { continue }
            _ = editor.press(key)
            let lines = editor.lineViews(columns: Int.random(in: 0..<30, using: &random))
            #expect(lines.views[lines.cursorLine].cursor <= 30)
        }
    }
}
