import Testing

@testable import RoomClient
@testable import roomline

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
