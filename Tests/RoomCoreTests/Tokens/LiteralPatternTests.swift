import Foundation
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

struct LiteralPatternTests {
    @Test(arguments: [
        "", "^", "$", "^$", ".*", "^.*", "main", "^main$", "^a\\.b$", "a\\-b.*", "комната", "^/#!\"%&',:;<=>@_`~$",
    ])
    func `plain text needs no engine`(pattern: String) {
        #expect(LiteralPattern(pattern) != nil)
    }

    @Test(arguments: [
        "a.b", "a*", "a|b", "(a)", "[a]", "a{2}", "a+", "a?", "\\d", "\\", "a$b", "^^a", "a^", ".*a", ".*$", ".*?",
        "$$", "]", "}",
        "\\é", "a\\",
    ])
    func `anything else does`(pattern: String) {
        #expect(LiteralPattern(pattern) == nil)
    }

    /// The engine is the measure: whatever is taken for plain text means the same to it.
    @Test(arguments: 1...20)
    func `plain text matches what the engine finds`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let pieces = [
            "a", "b", "ab", "\\.", "\\-", "-", ".", "é", "e\u{301}", "😀", "^", "$", ".*", "\u{2028}", "/", "\\_", " ",
        ]
        var compared = 0
        for _ in 0..<400 {
            let pattern = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            // Foundation takes the empty pattern for none; to Perl it is one that matches everything.
            guard !pattern.isEmpty, let literal = LiteralPattern(pattern) else { continue }
            let engine = try NSRegularExpression(pattern: pattern, options: .useUnixLineSeparators)
            for _ in 0..<5 {
                let name = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }
                .joined().replacing("\\", with: "")
                let range = NSRange(location: 0, length: name.utf16.count)
                let found = engine.firstMatch(in: name, range: range) != nil
                #expect(literal.matches(RoomName(name)) == found, "seed \(seed): \(pattern) in \(name)")
                compared += 1
            }
        }
        #expect(compared > 100)
    }
}
