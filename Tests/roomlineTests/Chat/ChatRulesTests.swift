import Testing

@testable import RoomClient
@testable import roomline

@Suite struct ChatRulesTests {
    private var rules = ChatRules()

    private static func notice(_ code: ModeratorNotice.Code?, seconds: Int? = nil) -> ModeratorNotice {
        let sender = MessageSender.service(id: "token:ops", kind: "admin")
        return ModeratorNotice(text: "so", code: code, interval: seconds.map { .seconds($0) }, sender: sender)
    }

    @Test mutating func `the row says what was told of the room`() {
        #expect(self.rules.text == nil)
        self.rules.noticed(Self.notice(nil))
        #expect(self.rules.text == nil)
        self.rules.noticed(Self.notice(.roomLocked))
        self.rules.noticed(Self.notice(.slowMode, seconds: 10))
        self.rules.isMutedHere = true
        #expect(self.rules.text == "muted · locked · slow mode, 10 s")
        self.rules.noticed(Self.notice(.roomUnlocked))
        self.rules.noticed(Self.notice(.slowMode, seconds: 0))
        self.rules.isMutedHere = false
        #expect(self.rules.text == nil)
    }

    @Test mutating func `a mute here and one everywhere are two`() {
        self.rules.isMutedEverywhere = true
        self.rules.isMutedHere = true
        self.rules.isMutedHere = false
        #expect(self.rules.text == "muted")
        self.rules.connectionLost()
        #expect(self.rules.text == nil)
    }
}
