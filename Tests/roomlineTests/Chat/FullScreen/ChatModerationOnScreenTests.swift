import Foundation
import Testing

@testable import RoomClient
@testable import roomline

/// What moderators do, and what is asked before.
@Suite struct ChatModerationOnScreenTests {
    private static let kitchen = "kitchen"
    private var chat = ChatUnderTest(rooms: ["lobby", Self.kitchen])

    @Test mutating func `a redaction counts from what was there when the line was begun`() {
        self.chat = ChatUnderTest(columns: 200)
        self.chat.says("one")
        self.chat.says("two")
        self.chat.type("/redact 1 spam")
        self.chat.says("three")
        self.chat.press(.enter)
        self.chat.permit()
        #expect(
            self.chat.sees("this removes a message for everybody, and for good, from the room lobby: Leia: \"two\"")
        )
        self.chat.says("four")
        self.chat.enter("/yes")
        guard case .moderate(let request)? = self.chat.actions.first, request.room == "lobby" else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        #expect(request.redacted?.seq == 2 && request.redacted?.shown == "Leia: \"two\"")
    }

    @Test(arguments: ["/redact 1", "/clear", "/ban Leia --redact", "/ban Leia 1h --REDACT"])
    mutating func `what cannot be undone is asked for, and only yes does it`(line: String) {
        self.chat = ChatUnderTest(columns: 200)
        self.chat.says("one")
        self.chat.enter(line)
        self.chat.permit()
        #expect(self.chat.sees("/yes does it") && self.chat.sees(" the room lobby"))
        self.chat.enter("/who")
        self.chat.enter("/yes")
        #expect(self.chat.actions.isEmpty && self.chat.sees("there is nothing to confirm"))
        self.chat.enter(line)
        self.chat.permit()
        self.chat.enter("/yes")
        guard case .moderate? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
    }

    @Test(arguments: ["/redact 1", "/clear", "/ban Leia --redact"])
    mutating func `who may not do it is refused, and asked nothing`(line: String) {
        self.chat.says("one")
        self.chat.enter(line)
        guard case .checkPermission(let request)? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        #expect(!self.chat.sees("/yes does it"))
        self.chat.chat.notPermitted(request, "you are not a moderator here", self.chat.now)
        #expect(self.chat.sees("you are not a moderator here"))
        self.chat.enter("/yes")
        #expect(self.chat.actions.isEmpty && !self.chat.sees("/yes does it"))
    }

    @Test mutating func `a yes that is too early confirms nothing, and the question still comes`() {
        self.chat = ChatUnderTest(columns: 200)
        self.chat.enter("/clear")
        let check = self.chat.actions
        self.chat.enter("/yes")
        #expect(self.chat.actions.isEmpty && self.chat.sees("there is nothing to confirm"))
        for case .checkPermission(let request) in check {
            self.chat.chat.permitted(request, as: request, self.chat.now)
        }
        #expect(self.chat.sees("this deletes all messages of the room lobby, for everybody and for good; /yes does it"))
    }

    @Test(arguments: [Key.alt("2"), .control("n"), .control("p"), .altDown, .altUp, .alt("a")])
    mutating func `what is asked in one room is not confirmed in another`(key: Key) {
        self.chat.says("anybody?", in: Self.kitchen)
        self.chat.enter("/clear")
        self.chat.permit()
        self.chat.press(key)
        #expect(self.chat.screen[0].hasPrefix(" \(Self.kitchen)"))
        self.chat.enter("/yes")
        #expect(self.chat.actions.isEmpty && self.chat.sees("there is nothing to confirm"))
        self.chat.press(.alt("1"))
        self.chat.enter("/yes")
        #expect(self.chat.actions.isEmpty)
    }

    @Test mutating func `a key that stays in the room leaves the question`() {
        self.chat.enter("/clear")
        self.chat.permit()
        self.chat.press(.alt("1"))
        self.chat.enter("/yes")
        #expect(!self.chat.actions.isEmpty)
    }

    @Test mutating func `a room that ends takes its question along`() {
        self.chat.enter("/clear")
        self.chat.permit()
        self.chat.chat.ended("lobby", "a moderator has removed you", self.chat.now)
        self.chat.enter("/yes")
        #expect(self.chat.actions.isEmpty && self.chat.sees("there is nothing to confirm"))
    }

    @Test mutating func `a question that comes after the room was left is none`() {
        self.chat.enter("/clear")
        let check = self.chat.actions
        self.chat.press(.alt("2"))
        for case .checkPermission(let request) in check {
            self.chat.chat.permitted(request, as: request, self.chat.now)
        }
        #expect(!self.chat.sees("/yes does it"))
        self.chat.press(.alt("1"))
        #expect(!self.chat.sees("/yes does it"))
    }

    @Test mutating func `what becomes of an act is told in its room`() {
        self.chat.press(.alt("2"))
        self.chat.chat.remark("Leia is banned from this room", in: "lobby", self.chat.now)
        #expect(!self.chat.sees("is banned from"))
        self.chat.press(.alt("1"))
        #expect(self.chat.sees("Leia is banned from this room"))
        self.chat.chat.remark("Han is muted in this room", in: "attic", self.chat.now)
        #expect(self.chat.sees("attic: Han is muted in this room"))
    }

    @Test mutating func `a redaction in another room counts from what is there`() {
        self.chat = ChatUnderTest(rooms: ["lobby", Self.kitchen], columns: 200)
        for number in 1...3 { self.chat.says("soup \(number)", in: Self.kitchen) }
        self.chat.says("one")
        self.chat.type("/redact 1")
        self.chat.press(.alt("2"), .enter)
        guard case .checkPermission(let request)? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        #expect(request.redacted?.shown == "Leia: \"soup 3\"" && request.room == Self.kitchen)
    }

    @Test mutating func `a ban that redacts says for how long, and whose messages go`() {
        self.chat = ChatUnderTest(columns: 300)
        let (chewie, solo) = (ChatUnderTest.member("Chewie", user: "u-chewie"), ChatUnderTest.member("Solo"))
        self.chat.happens(.members([ChatUnderTest.me, chewie, solo], count: 3))
        self.chat.enter("/ban Chewie 1h --redact")
        self.chat.permit()
        let chewies =
            "this bans Chewie (u-chewie) from the room lobby for 1h, and removes all messages of Chewie (u-chewie) there"
        #expect(self.chat.sees("\(chewies), for everybody and for good; /yes does it"))
        self.chat.enter("/ban Chewie --redact")
        self.chat.permit()
        #expect(self.chat.sees("from the room lobby until you lift it with /unban, and removes all messages"))
        self.chat.enter("/ban Solo --redact")
        self.chat.permit()
        #expect(self.chat.sees("for good, of this connection only; /yes does it"))
    }

    @Test mutating func `nobody is a user who is not there, where all are known`() throws {
        self.chat.happens(.members([ChatUnderTest.me, ChatUnderTest.member("Leia", user: "u7")], count: 2))
        self.chat.enter("/ban user:Han 1h")
        guard case .moderate(let request)? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        let absent = try ModerationTarget.find("user:Han", among: request.known)
        let hint = "; nobody in the room is the user Han now, and the ban holds for those who come"
        #expect(request.hint(absent, "ban") == hint)
        let present = try ModerationTarget.find("user:u7", among: request.known)
        #expect(request.hint(present, "ban") == "")
        // Of very large rooms the broker lists nobody.
        self.chat.happens(.members([], count: 1_500))
        self.chat.enter("/mute user:Han 1h")
        guard case .moderate(let other)? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        #expect(other.hint(absent, "mute") == "")
    }

    @Test mutating func `what is not acknowledged is there when the chat ends`() {
        #expect(self.chat.chat.unsent.isEmpty)
        self.chat.enter("one")
        self.chat.press(.alt("2"))
        self.chat.enter("two")
        self.chat.press(.alt("1"))
        self.chat.enter("three")
        let id = self.chat.says("one", isOwn: true)
        _ = self.chat.chat.acknowledged("lobby", ticket: 1, id: id)
        #expect(self.chat.chat.unsent == UnsentMessages(["\(Self.kitchen): two", "lobby: three"]))
    }

    @Test mutating func `a redacted message is gone from the screen`() {
        let id = self.chat.says("spam")
        self.chat.happens(.redacted(id, by: ChatUnderTest.member("Han"), reason: "enough"))
        #expect(!self.chat.sees("spam") && self.chat.sees("Leia: (removed by Han: enough)"))
    }
}
