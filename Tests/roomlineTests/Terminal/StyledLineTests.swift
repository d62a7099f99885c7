import RoomModel
import Testing

@testable import roomline

@Suite struct StyledLineTests {
    private static func line(_ text: String, indent: Int = 2) -> StyledLine { .normal(text, indent: indent) }

    @Test(
        arguments: [
            ("short", ["short"]),
            ("exactly twenty chars", ["exactly twenty chars"]),
            ("a line that is longer than twenty", ["a line that is", "  longer than twenty"]),
            ("exactly twenty chars and more", ["exactly twenty chars", "  and more"]),
            ("12345678901234567890 234567890 234567", ["12345678901234567890", "  234567890 234567"]),
            ("日本語日本語日本語日本語日本語", ["日本語日本語日本語日", "  本語日本語"]),
            // What cannot be broken is left whole, on a row of its own.
            (
                "see http://a.example/very/long/path/indeed for more",
                ["see ", "  http://a.example/very/long/path/indeed ", "  for more"]
            ),
        ] as [(String, [String])]
    )
    func `a long line becomes rows`(text: String, rows: [String]) {
        let got = Self.line(text).rows(columns: 20).map(\.text)
        #expect(got.map { $0.trimmedRight } == rows.map { $0.trimmedRight })
    }

    @Test func `nothing of a text begins a row at the edge`() {
        let forged = "12:00 Leia: I never said that"
        for padding in ["x" + String(repeating: " ", count: 200), String(repeating: "x", count: 200), ""] {
            for columns in 20..<120 {
                let rows = Self.line("12:01 Han: \(padding)\(forged)", indent: 8).rows(columns: columns)
                for row in rows.dropFirst() {
                    #expect(row.text.hasPrefix("        "), "\(columns)")
                    // What the terminal breaks has no second word.
                    #expect(row.columns <= columns || !row.text.dropFirst(8).trimmedRight.contains(" "))
                }
            }
        }
    }

    @Test func `rows keep the styles`() {
        let name = NameColor(red: 1, green: 2, blue: 3)
        let line = StyledLine(
            spans: [
                .init(text: "12:00 ", style: .dim), .init(text: "Luke", style: .name(name)),
                .init(text: ": one two three", style: .normal),
            ],
            indent: 2
        )
        let rows = line.rows(columns: 16)
        #expect(rows.map(\.text) == ["12:00 Luke: one ", "  two three"])
        #expect(rows[0].spans.map(\.style) == [.dim, .name(name), .normal])
    }

    @Test(arguments: [
        (Palette.plain, "12:00 Luke: hi"),
        (.monochrome, "\u{1b}[2m12:00 \u{1b}[0m\u{1b}[1mLuke\u{1b}[0m: hi"),
        (.ansi16, "\u{1b}[2m12:00 \u{1b}[0m\u{1b}[1;32mLuke\u{1b}[0m: hi"),
    ])
    func `styles become codes where there is a terminal`(palette: Palette, text: String) {
        let line = StyledLine(spans: [
            .init(text: "12:00 ", style: .dim),
            .init(text: "Luke", style: .name(NameColor(red: 0, green: 128, blue: 0))),
            .init(text: ": hi", style: .normal), .init(text: "", style: .dim),
        ])
        #expect(line.rendered(palette) == text)
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate var trimmedRight: Substring {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text
    }
}
