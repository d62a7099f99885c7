import Testing

@testable import roomline

@Suite struct ScreenPainterTests {
    private var painter = ScreenPainter(palette: .monochrome)

    private static func frame(_ rows: [String], row: Int = 0, column: Int = 0) -> ScreenFrame {
        ScreenFrame(
            rows: rows.map { .normal($0) },
            cursor: ScreenFrame.Position(row: row, column: column)
        )
    }

    @Test mutating func `the first frame is written as a whole, and then only what has changed`() {
        let first = self.painter.paint(Self.frame(["one", "two"], row: 1, column: 2))
        #expect(first == "\u{1b}[?25l\u{1b}[0m\u{1b}[H\u{1b}[2J\u{1b}[1;1Hone\u{1b}[2;1Htwo\u{1b}[2;3H\u{1b}[?25h")
        #expect(self.painter.paint(Self.frame(["one", "two"], row: 1, column: 2)).isEmpty)
        #expect(
            self.painter.paint(Self.frame(["one", "six"])) == "\u{1b}[?25l\u{1b}[2;1Hsix\u{1b}[1;1H\u{1b}[?25h"
        )
        #expect(self.painter.paint(Self.frame(["one"])).contains("\u{1b}[2J"))
        self.painter.forget()
        #expect(self.painter.paint(Self.frame(["one"])).contains("one"))
    }

    @Test mutating func `what stands behind characters of uncertain width is put into its column`() {
        let row = StyledLine(spans: [.init(text: "👩‍👩‍👧 ", style: .normal), .init(text: "│", style: .dim)])
        _ = self.painter.paint(ScreenFrame(rows: [.normal("    ")], cursor: .init(row: 0, column: 0)))
        let text = self.painter.paint(ScreenFrame(rows: [row], cursor: .init(row: 0, column: 0)))
        #expect(text.contains("\u{1b}[1;1H\u{1b}[2K👩‍👩‍👧 \u{1b}[4G\u{1b}[2m│"))
    }
}
