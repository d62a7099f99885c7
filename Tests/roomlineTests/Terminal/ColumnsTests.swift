import Testing

@testable import roomline

@Suite struct ColumnsTests {
    @Test(arguments: [
        ("", 0), ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("🙂", 2), ("👩‍👩‍👧‍👦", 2),
        ("🇸🇪", 2), ("👍🏽", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2), ("→", 1), ("…", 1), ("ส", 1), ("\u{301}", 0), ("𠀀", 2),
    ])
    func `a character takes its columns`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("hello", 5, "hello"), ("hello", 4, "hel…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("hello", 1, "…"),
        ("hello", 0, ""),
    ])
    func `a text is shortened to columns`(text: String, limit: Int, result: String) {
        #expect(text.shortened(toColumns: limit) == result)
        #expect(result.columns <= limit)
    }
}
