import Testing

@testable import roomline

@Suite struct ShellQuotedTests {
    @Test(arguments: [
        ("lobby", "lobby"), ("observable-a.b_c:d", "observable-a.b_c:d"), ("two words", "'two words'"),
        ("it's", #"'it'\''s'"#),
        ("", "''"), ("$(rm)", "'$(rm)'"), ("日", "'日'"), ("it'\u{301};x", "'it'\\''\u{301};x'"),
        ("'\u{200d}", #"$'\'\u200d'"#), ("r\u{200b}1", #"$'r\u200b1'"#),
        ("it's\u{e0061}", #"$'it\'s\U000e0061'"#),
    ])
    func `a room's name is one word for a shell`(name: String, word: String) {
        #expect(name.shellQuoted == word)
    }
}
