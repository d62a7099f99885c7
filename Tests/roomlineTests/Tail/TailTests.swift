import Testing

@testable import RoomClient
@testable import roomline

@Suite struct ResumePointTests {
    @Test(arguments: ["5f3c9a1e7b240d86:41", "5F3C9A1E7B240D86:0"])
    func `a place is read and written`(text: String) {
        #expect(ResumePoint(argument: text)?.description == text.lowercased())
    }

    @Test(arguments: [
        "", ":", "41", "5f3c9a1e7b240d86", "5f3c9a1e7b240d86:", "5f3c:1", "5f3c9a1e7b240d8x:1", "5f3c9a1e7b240d86:-1",
        "5f3c9a1e7b240d86:1:2",
    ])
    func `anything else is none`(text: String) {
        #expect(ResumePoint(argument: text) == nil)
    }
}

@Suite struct ShellQuotedTests {
    @Test(arguments: [
        ("lobby", "lobby"), ("observable-a.b_c:d", "observable-a.b_c:d"), ("two words", "'two words'"),
        ("it's", #"'it'\''s'"#),
        ("", "''"), ("$(rm)", "'$(rm)'"), ("日", "'日'"),
    ])
    func `a room's name is one word for a shell`(name: String, word: String) {
        #expect(name.shellQuoted == word)
    }
}

@Suite struct TailObjectTests {
    @Test func `what a terminal would obey is escaped`() {
        #expect(
            TailObject.escaped("{\"a\": \"\u{7f}\u{9b}\u{202e}\u{2028}é🙂 b\"}")
                == #"{"a": "\u007f\u009b\u202e\u2028é🙂 b"}"#
        )
    }

    @Test func `a character beyond the first plane is two escapes`() {
        #expect(TailObject.escaped("\u{e0041}") == #"\udb40\udc41"#)
    }

    @Test func `events have their type and their room`() throws {
        let leia = Member(id: "2", clientData: try JSON(#"{"name":"Leia"}"#), authData: nil)
        let gap = RoomGap(epoch: "5f3c9a1e7b240d86", seqs: 3...5, reason: .trimmed)
        let table: [(RoomEvent<JSON>, String)] = [
            (.joined(leia), #"{"type":"joined","room":"a \"b\"","member":{"id":"2","clientData":{"name":"Leia"}}}"#),
            (
                .members([leia]),
                #"{"type":"members","room":"a \"b\"","members":[{"id":"2","clientData":{"name":"Leia"}}]}"#
            ),
            (
                .gap(gap),
                #"{"type":"gap","room":"a \"b\"","epoch":"5f3c9a1e7b240d86","from_seq":3,"to_seq":5,"reason":"trimmed"}"#
            ),
        ]
        for (event, line) in table {
            #expect(TailObject.line(for: event, in: "a \"b\"", escapesUnsafe: false) == line)
        }
    }
}

@Suite struct RoomGapTests {
    @Test(
        arguments: [
            (3...3, "1 message is lost (trimmed)"), (3...5, "3 messages are lost (trimmed)"),
            (0...UInt64.max, "0 messages are lost (trimmed)"),
        ] as [(ClosedRange<UInt64>, String)]
    )
    func `a gap is told in words`(seqs: ClosedRange<UInt64>, text: String) {
        #expect(RoomGap(epoch: "", seqs: seqs, reason: .trimmed).text == text)
    }
}
