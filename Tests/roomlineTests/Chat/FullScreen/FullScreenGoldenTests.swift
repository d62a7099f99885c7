import Foundation
import Testing

@testable import roomline

/// The same conversation on screens of three sizes.
@Suite struct FullScreenGoldenTests {
    @Test(arguments: [(60, 15), (80, 24), (160, 50)])
    func `a conversation`(columns: Int, rows: Int) throws {
        let chat = Self.conversation(columns: columns, rows: rows)
        try Golden.expect(chat.screen, "chat-\(columns)x\(rows)")
    }

    private static func conversation(columns: Int, rows: Int) -> ChatUnderTest {
        let kitchen = "kitchen"
        var chat = ChatUnderTest(rooms: ["lobby", kitchen, "attic"], columns: columns, rows: rows)
        let leia = ChatUnderTest.member("Leia", user: "u-leia")
        let others = [ChatUnderTest.member("Han", id: "Kf3Qz81L"), ChatUnderTest.member("Han", id: "0pV7dHs2")]
        chat.happens(.members([ChatUnderTest.me, leia], count: 2))
        for other in others { chat.happens(.joined(other)) }
        chat.says("is anybody here?")
        chat.says("I am", isOwn: true)
        chat.says(
            "luke, did you see 日本語 and 👩‍👩‍👧 in one row of the chat, with enough words to fill more than that one row?"
        )
        chat.happens(.message(chat.message("two lines:\n  and an indent", by: others[0]), chat.now.date))
        chat.advance(.seconds(60))
        chat.says("/me waves")
        chat.says("soup is ready", by: "Chewie", in: kitchen)
        chat.says("Luke: soup!", by: "Chewie", in: kitchen)
        chat.happens(.typing(leia, true))
        chat.enter("not acknowledged yet")
        chat.type("half a line")
        return chat
    }

    /// What anybody has written, and however wide it is: each row has the width of the screen, and there are as many.
    @Test(arguments: [1, 2, 3, 4, 5])
    func `nothing moves the columns`(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let pieces = [
            "日本", "👩‍👩‍👧", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "\u{202e}", "\u{1b}[2J", "word", " ", "\n",
            "\u{200d}", "🇩🇪", "☃\u{fe0f}", "x\t", "\r", "\u{9b}1m", "\u{300}",
        ]
        for _ in 0..<40 {
            let columns = Int.random(in: 60...200, using: &random)
            let rows = Int.random(in: 1...50, using: &random)
            var chat = ChatUnderTest(columns: columns, rows: rows, name: "日本語の名前")
            for _ in 0..<12 {
                let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }
                let name = (0..<6).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
                chat.happens(.joined(ChatUnderTest.member(name, id: name)))
                chat.says(text.joined(), by: name)
            }
            chat.press(.pasted(pieces.joined()), .pageUp)
            let frame = chat.frame
            #expect(frame.rows.count == rows)
            #expect(frame.rows.allSatisfy { $0.columns == columns }, "\(columns)x\(rows)")
            #expect(
                frame.rows.allSatisfy {
                    !$0.text.unicodeScalars.contains { $0.value < 0x20 || 0x7f..<0xa0 ~= $0.value }
                }
            )
            #expect((0..<rows).contains(frame.cursor.row) && (0..<columns).contains(frame.cursor.column))
        }
    }
}

/// The same numbers for the same seed (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (self.state ^ (self.state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
