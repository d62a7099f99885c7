import Testing

@testable import roomline

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("hello", "hello"),
        ("two\nlines", "two lines"), ("two\r\nlines", "two lines"), ("a\tb\u{b}c\u{c}d\u{85}e", "a b c d e"),
        ("a\u{2028}b\u{2029}c", "a b c"),
        ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"), ("\u{9b}2J", "2J"), ("bell\u{7}", "bell"), ("\u{7f}\u{0}x", "x"),
        ("\u{1b}]0;title\u{7}", "]0;title"),
        ("\u{202e}evil\u{202c}", "evil"), ("\u{2066}a\u{2069}\u{200e}\u{200f}\u{61c}", "a"),
        ("zero\u{200b}width\u{feff}\u{ad}", "zerowidth"), ("tag\u{e0041}\u{e007f}", "tag"),
        ("a\u{a0}b\u{3000}c\u{2003}d", "a b c d"), ("a\u{3164}\u{2800}\u{ffa0}b", "a   b"),
        ("👩‍👩‍👧‍👦 ❤️ 🇸🇪", "👩‍👩‍👧‍👦 ❤️ 🇸🇪"), ("क्‍ष", "क्‍ष"), ("שלום", "שלום"),
        ("z\(String(repeating: "\u{336}", count: 50))x", "z\u{336}\u{336}\u{336}\u{336}x"),
        ("\u{fff9}a", "a"),
    ])
    func `a text stays in its line`(text: String, line: String) {
        #expect(TerminalText.line(text) == line)
    }

    @Test(arguments: [
        ("Luke", "Luke"), ("  Luke   Sky ", "Luke Sky"), ("Leia: I am lost", "Leia I am lost"), ("Leia::", "Leia"),
        ("C3:PO", "C3:PO"), ("\u{1b}[2J", "[2J"), ("a\nb", "a b"),
        ("a name that goes on and on and on", "a name that goes on and…"),
    ])
    func `a name is short and no text`(text: String, name: String) {
        #expect(TerminalText.name(text) == name)
    }

    @Test(arguments: ["", "   ", "\u{200b}", "\u{3164}\u{2800}", ":", " : ", "\u{202e}", "\u{200d}"])
    func `a name that nobody can see is none`(text: String) {
        #expect(TerminalText.name(text) == nil)
    }

    @Test func `a tab leads to the next column of four`() {
        #expect(TerminalText.lines("a\tb\n\t日\tc\tdefg\te") == ["a   b", "    日  c   defg    e"])
        #expect(TerminalText.linesWithTabs("a\tb\u{1b}\r\n\u{202e}c") == ["a\tb", "c"])
    }

    @Test func `no character at all can move the cursor or hide`() {
        for value in UInt32(0)...0x1_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for shown in TerminalText.line(String(scalar)).unicodeScalars {
                #expect(shown.value >= 0x20 && !(0x7f...0x9f ~= shown.value), "U+\(String(value, radix: 16))")
                #expect(!(0x202a...0x202e ~= shown.value) && !(0x2066...0x2069 ~= shown.value))
            }
        }
    }
}
