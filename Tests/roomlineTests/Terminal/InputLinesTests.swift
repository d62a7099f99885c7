import Testing

@testable import roomline

@Suite struct InputLinesTests {
    @Test(
        arguments: [
            ("", []), ("a", [.text("a")]), ("a\n", [.text("a")]), ("a\nb", [.text("a"), .text("b")]),
            ("a\r\nb\r\n", [.text("a"), .text("b")]), ("\n\n", [.text(""), .text("")]), ("a\rb\n", [.text("a\rb")]),
            ("é日\n", [.text("é日")]), ("12345678\n123456789\nx", [.text("12345678"), .tooLong, .text("x")]),
            ("12345678\r\n", [.text("12345678")]), ("1234567890123", [.tooLong]),
            ("\u{feff}a\n\u{feff}b", [.text("a"), .text("\u{feff}b")]), ("\u{feff}\n", [.text("")]), ("\u{feff}", []),
            ("\u{feff}\u{feff}a", [.text("\u{feff}a")]),
        ] as [(String, [InputLines.Line])]
    )
    func `input becomes lines, however it is split`(input: String, lines: [InputLines.Line]) {
        for size in 1...max(1, input.utf8.count) {
            var splitter = InputLines(limit: 8)
            var got: [InputLines.Line] = []
            var rest = Array(input.utf8)[...]
            while !rest.isEmpty {
                got += splitter.add(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            got += splitter.finish().map { [$0] } ?? []
            #expect(got == lines, "in pieces of \(size)")
        }
    }

    @Test func `what is not text is said to be none`() {
        var lines = InputLines(limit: 8)
        #expect(lines.add([0x61, 0xff, 0x0a, 0x62, 0x0a]) == [.invalidUTF8, .text("b")])
    }
}
