import ArgumentParser
import RoomAdmin
import RoomJSON
import Testing

@testable import roomline

@Suite struct RulesTests {
    private func text(_ change: some RulesCommand) -> String { change.change.request.body?.text ?? "" }

    @Test func `a change is a merge patch`() throws {
        #expect(self.text(try RoomLock.parse(["r"])) == #"{"locked":true,"lock_reason":null}"#)
        #expect(self.text(try RoomLock.parse(["r", "--reason", "x"])) == #"{"locked":true,"lock_reason":"x"}"#)
        #expect(self.text(try RoomUnlock.parse(["r"])) == #"{"locked":false}"#)
        #expect(self.text(try RoomSlowMode.parse(["r", "2m"])) == #"{"slow_mode_seconds":120}"#)
        #expect(self.text(try RoomSlowMode.parse(["r", "5s"])) == #"{"slow_mode_seconds":5}"#)
        #expect(self.text(try RoomSlowMode.parse(["r", "off"])) == #"{"slow_mode_seconds":null}"#)
        #expect(self.text(try RoomLimit.parse(["r", "50"])) == #"{"member_limit":50}"#)
        #expect(self.text(try RoomLimit.parse(["r", "none"])) == #"{"member_limit":null}"#)
    }

    @Test(arguments: ["0s", "1500ms", "0", "90", "", "on"])
    func `slow-mode takes whole seconds, or off`(text: String) {
        #expect(PauseArgument(argument: text) == nil)
    }

    @Test func `what is kept is told without reading it`() {
        #expect(KeptMessages(room: "r", seqs: nil).words == "no message")
        #expect(KeptMessages(room: "r", seqs: 7...7).words == "1 message (7)")
        #expect(KeptMessages(room: "r", seqs: 2...42).words == "41 messages (2 to 42)")
        let tree = KeptMessages(room: "r", seqs: 2...42).tree.text
        #expect(tree == #"{"room":"r","messages":41,"first_seq":2,"last_seq":42}"#)
    }
}
