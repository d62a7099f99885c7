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

    @Test(
        arguments: [
            ("short", ["short"]),
            ("a line that is longer than twenty", ["a line that is", "  longer than twenty"]),
            ("12345678901234567890123456789012345678901", ["12345678901234567890", "  123456789012345678", "  901"]),
            ("see http://a.example/very/long", ["see", "  http://a.example/v", "  ery/long"]),
            ("日本語日本語日本語日本語日本語", ["日本語日本語日本語日", "  本語日本語"]),
        ] as [(String, [String])]
    )
    func `a folded line has no row that is too wide`(text: String, rows: [String]) {
        let got = Self.line(text).folded(columns: 20)
        #expect(got.map { String($0.text.trimmedRight) } == rows)
        #expect(got.allSatisfy { $0.columns <= 20 })
    }

    @Test(arguments: [("one", 5, "one  "), ("日本語", 4, "日… "), ("日本語", 6, "日本語"), ("", 2, "  "), ("one", 0, "")])
    func `a fitted line has exactly the width`(text: String, columns: Int, result: String) {
        #expect(Self.line(text).fitted(toColumns: columns).text == result)
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
