import RoomJSON
import Testing

@testable import RoomWire

/// Each kind of word is found by its bytes, and nothing else is.
@Suite struct WordTableTests {
    private static func find<Word: WireWord>(_ text: String) -> Word? {
        Array(text.utf8).withUnsafeBytes { Word(name: $0) }
    }

    private static func expectAllFound<Word: WireWord & Equatable>(_ kind: Word.Type) {
        for word in Word.allCases {
            let text = "\(word.name)"
            #expect(Word.table[word.name] == word.rawValue, "\(text)")
            #expect(Self.find(text) == word, "\(text)")
            for other in [text + "x", "x" + text, String(text.dropLast()), text.uppercased()] {
                let found: Word? = Self.find(other)
                #expect(found.map { "\($0.name)" } ?? other == other, "\(other)")
            }
        }
    }

    @Test func `every word is found, its neighbours are not`() {
        Self.expectAllFound(FrameType.self)
        Self.expectAllFound(FrameField.self)
        Self.expectAllFound(BrokerFrameType.self)
        Self.expectAllFound(BrokerField.self)
        Self.expectAllFound(SenderField.self)
    }

    @Test(arguments: ["", "t", "ty", "tpe", "tyqe", "messbge", "message_ie", "historz_count"])
    func `a name that differs in one byte is no field`(name: String) {
        #expect(Self.find(name) as FrameField? == nil)
    }

    @Test func `a long name that begins and ends as a word is another one`() {
        #expect(Self.find("observable_member_join") == BrokerFrameType.memberJoin)
        #expect(Self.find("observabXe_membXr_join") as BrokerFrameType? == nil)
    }

    @Test func `described fields are found, those of objects within objects too`() {
        for name: StaticString in ["history_count", "epoch", "action", "before_seq"] {
            #expect(FrameType.fields[name] != nil, "\(name)")
        }
        #expect(BrokerFrameType.fields["to_seq"] != nil)
    }
}
