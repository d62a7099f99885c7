import Testing

@testable import roomline

@Suite struct KeyDecoderTests {
    private static let table: [(String, [Key])] = [
        ("ab", [.text("a"), .text("b")]),
        ("é日🙂", [.text("é"), .text("日"), .text("🙂")]),
        ("e\u{301}", [.text("e"), .text("\u{301}")]),
        ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7f}", [.backspace]), ("\u{8}", [.backspace]),
        ("\u{1}\u{5}\u{1a}", [.control("a"), .control("e"), .control("z")]),
        ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]),
        ("\u{1b}OA\u{1b}OH\u{1b}OF", [.up, .home, .end]),
        ("\u{1b}[H\u{1b}[F\u{1b}[1~\u{1b}[4~\u{1b}[7~\u{1b}[8~", [.home, .end, .home, .end, .home, .end]),
        ("\u{1b}[3~\u{1b}[3;5~", [.delete, .deleteWordRight]),
        ("\u{1b}[1;5C\u{1b}[1;5D\u{1b}[1;3C\u{1b}[1;3D", [.wordRight, .wordLeft, .wordRight, .wordLeft]),
        ("\u{1b}[1;2C", [.right]),
        ("\u{1b}b\u{1b}f\u{1b}d\u{1b}\u{7f}", [.wordLeft, .wordRight, .deleteWordRight, .deleteWordLeft]),
        ("\u{1b}x", [.text("x")]),
        ("\u{1b}\u{1b}[A", [.up]),
        // Keys that the editor does not know, and answers of the terminal.
        ("\u{1b}[5~\u{1b}[6~", [.pageUp, .pageDown]),
        ("\u{1b}[1;3A\u{1b}[1;5B", [.altUp, .altDown]),
        ("\u{1b}1\u{1b}9\u{1b}a\u{1b}\r", [.alt("1"), .alt("9"), .alt("a"), .altEnter]),
        ("\u{1b}[15~\u{1b}[24;2~\u{1b}OP\u{1b}[[A\u{1b}[?62;22c\u{1b}[12;40Rx", [.text("x")]),
        ("\u{1b}]11;rgb:0000/0000/0000\u{7}x\u{1b}P1$r0m\u{1b}\\y", [.text("x"), .text("\\"), .text("y")]),
        ("\u{1b}]typed by parseError\u{3}", [.control("c")]),
        ("\u{1b}[200~one\ntwo\u{1b}[31m\u{1b}[201~x", [.pasted("one\ntwo\u{1b}[31m"), .text("x")]),
        ("\u{1b}[200~\u{1b}[201~", []),
        ("\u{1b}[200~no end\u{3}x", [.pasted("no end"), .text("x")]),
        // A sequence that another key interrupts.
        ("\u{1b}[1;\rx", [.enter, .text("x")]),
        ("\u{9b}31mx", [.text("3"), .text("1"), .text("m"), .text("x")]),
    ]

    @Test(arguments: Self.table)
    func `bytes become keys`(bytes: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(bytes.utf8) == keys)
    }

    @Test(arguments: Self.table)
    func `bytes become the same keys one by one`(bytes: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(bytes.utf8.flatMap { decoder.decode([$0]) } == keys)
    }

    @Test(
        arguments: [
            ([0xc3, 0x61], [Key.text("a")]), ([0xff, 0x61], [.text("a")]), ([0xe2, 0x82, 0x1b, 0x5b, 0x41], [.up]),
            ([0xed, 0xa0, 0x80, 0x61], [.text("a")]), ([0xf4, 0x90, 0x80, 0x80, 0x61], [.text("a")]), ([0x80], []),
            ([0x00, 0x1c, 0x1f], []),
        ] as [([UInt8], [Key])]
    )
    func `what is not text is not a key`(bytes: [UInt8], keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(bytes) == keys)
    }

    @Test func `ESC is a key if nothing follows`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1b]) == [] && decoder.isAfterEscape)
        #expect(decoder.pauseElapsed() == [.escape] && !decoder.isAfterEscape)
        #expect(decoder.pauseElapsed() == [])
        #expect(decoder.decode("\u{1b}[".utf8) == [] && decoder.pauseElapsed() == [])
        #expect(decoder.decode("A".utf8) == [.up])
    }

    @Test func `an endless paste is bounded and still ends`() {
        var decoder = KeyDecoder()
        let keys = decoder.decode("\u{1b}[200~\(String(repeating: "x", count: 100_000))\u{1b}[201~y".utf8)
        #expect(keys.count == 2 && keys.last == .text("y"))
        guard case .pasted(let text)? = keys.first else { return #expect(Bool(false)) }
        #expect(text.utf8.count < 70_000 && text.allSatisfy { $0 == "x" })
    }

    @Test func `an endless sequence is none`() {
        var decoder = KeyDecoder()
        let keys = decoder.decode("\u{1b}[\(String(repeating: "1;", count: 1_000))Ax".utf8)
        #expect(keys.last == .text("x"))
    }

    @Test func `random bytes never confuse it for good`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var decoder = KeyDecoder()
            _ = decoder.decode((0..<64).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
            // Ctrl-C ends whatever has begun; after it a letter is a letter.
            _ = decoder.decode([0x03])
            #expect(decoder.decode(Array("a".utf8)) == [.text("a")])
        }
    }
}
