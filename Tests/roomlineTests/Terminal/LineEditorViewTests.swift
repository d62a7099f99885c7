import Testing

@testable import roomline

@Suite struct LineEditorViewTests {
    private func view(_ text: String, left: Int = 0, columns: Int) -> LineEditor.View {
        var editor = LineEditor()
        _ = editor.press(.pasted(text))
        for _ in 0..<left { _ = editor.press(.left) }
        return editor.lineViews(columns: columns).views[0]
    }

    @Test func `a short line is shown as it is`() {
        #expect(self.view("hello", columns: 10) == .init(text: "hello", cursor: 5))
        #expect(self.view("hello", left: 2, columns: 10) == .init(text: "hello", cursor: 3))
    }

    @Test func `the cursor has a column of its own`() {
        #expect(self.view("hello", columns: 6) == .init(text: "hello", cursor: 5))
        #expect(self.view("hello", columns: 5) == .init(text: "ello", cursor: 4, isCutLeft: true))
    }

    @Test func `a long line scrolls with the cursor`() {
        #expect(self.view("abcdefghij", columns: 5) == .init(text: "ghij", cursor: 4, isCutLeft: true))
        #expect(self.view("abcdefghij", left: 10, columns: 5) == .init(text: "abcd", cursor: 0, isCutRight: true))
        #expect(
            self.view("abcdefghij", left: 2, columns: 5)
                == .init(text: "efgh", cursor: 4, isCutLeft: true, isCutRight: true)
        )
    }

    @Test func `wide characters are never halved`() {
        #expect(self.view("日本語", columns: 6) == .init(text: "本語", cursor: 4, isCutLeft: true))
        #expect(self.view("日本語", columns: 7) == .init(text: "日本語", cursor: 6))
        #expect(self.view("日本語", left: 3, columns: 6) == .init(text: "日本", cursor: 0, isCutRight: true))
    }

    @Test func `marks take no room`() {
        #expect(self.view("e\u{301}e\u{301}", columns: 10).cursor == 2)
    }
}
