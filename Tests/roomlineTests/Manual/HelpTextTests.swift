import Testing

@testable import roomline

@Suite struct HelpTextTests {
    private func lines(_ text: String, columns: Int) -> [String] {
        HelpText(columns: columns).wrapped(text).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        )
    }

    @Test func `a text is wrapped once, and goes on below its beginning`() {
        let text = """
            OVERVIEW: one two three four five

            LIMITS
              --max-line SIZE
                  the longest line that there is

            OPTIONS:
              --json                  write JSON, an object on each line

            EXIT CODES
              69  no broker answers here
            """
        #expect(
            self.lines(text, columns: 24) == [
                "OVERVIEW: one two three", "four five", "", "LIMITS", "  --max-line SIZE", "      the longest line",
                "      that there is", "", "OPTIONS:", "  --json", "    write JSON, an", "    object on each line", "",
                "EXIT CODES", "  69  no broker answers", "    here",
            ]
        )
        #expect(
            self.lines(text, columns: 46).suffix(6) == [
                "OPTIONS:", "  --json                  write JSON, an", "                          object on each line",
                "",
                "EXIT CODES", "  69  no broker answers here",
            ]
        )
        #expect(HelpText(columns: 80).wrapped(text) == text)
    }

    @Test func `a command is folded so that a shell takes it for one`() {
        let text = """
            EXAMPLES
              roomline publish lobby --message-id 3d6c0a52 'two  words here' < lines.txt
                  Publish it.

            USAGE: roomline
            """
        #expect(
            self.lines(text, columns: 40) == [
                "EXAMPLES", "  roomline publish lobby --message-id \\", "    3d6c0a52 'two  words here' < \\",
                "    lines.txt", "      Publish it.", "", "USAGE: roomline",
            ]
        )
    }

    @Test func `a word that is too long stays whole`() {
        #expect(self.lines("see https://example.org/a/long/address now", columns: 20).count == 3)
        #expect(
            self.lines("  https://example.org/a/long/address", columns: 20) == ["  https://example.org/a/long/address"]
        )
    }

    @Test func `paragraphs of a page are left to it`() {
        let text = "one two three four five six seven\n  eight nine ten eleven twelve"
        let wrapped = HelpText(columns: 20, wrapsParagraphs: false).wrapped(text)
        #expect(wrapped == "one two three four five six seven\n  eight nine ten\n  eleven twelve")
    }
}
