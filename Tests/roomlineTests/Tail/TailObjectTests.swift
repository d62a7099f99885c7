import Foundation
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
            (
                .redacted(
                    RoomRedaction(
                        id: UUID(),
                        position: RoomPosition(epoch: "5f3c9a1e7b240d86", seq: 6),
                        messageID: try #require(UUID(uuidString: "019AA3C5-7B00-7004-8F21-6C0D5E4B3A04")),
                        messageSeq: 4,
                        reason: "spam",
                        sender: .member(leia),
                        time: Date()
                    )
                ),
                #"{"type":"redacted","room":"a \"b\"","epoch":"5f3c9a1e7b240d86","seq":6,"target_seq":4,"#
                    + #""target_id":"019aa3c5-7b00-7004-8f21-6c0d5e4b3a04","reason":"spam","#
                    + #""sender":{"id":"2","clientData":{"name":"Leia"}}}"#
            ),
            (
                .cleared(RoomPosition(epoch: "81b0c5d2e3f40a96", seq: 0), by: .service(id: "token:ops", kind: "admin")),
                #"{"type":"cleared","room":"a \"b\"","epoch":"81b0c5d2e3f40a96","seq":0,"#
                    + #""sender":{"id":"token:ops","kind":"admin"}}"#
            ),
            (
                .notice(ModeratorNotice(text: "slow", code: .slowMode, interval: .seconds(10), sender: .member(leia))),
                #"{"type":"notice","room":"a \"b\"","text":"slow","code":"slow_mode","seconds":10,"#
                    + #""sender":{"id":"2","clientData":{"name":"Leia"}}}"#
            ),
            (
                .muteChanged(Mute(reason: nil, until: Date(timeIntervalSince1970: 1_763_697_600))),
                #"{"type":"muted","room":"a \"b\"","until":"2025-11-21T04:00:00.000Z"}"#
            ),
            (.muteChanged(nil), #"{"type":"unmuted","room":"a \"b\""}"#),
        ]
        for (event, line) in table {
            #expect(TailObject.line(for: event, in: "a \"b\"", escapesUnsafe: false) == line)
        }
    }
}
