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
        guard case .moderate(let input)? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        #expect(!self.chat.sees("/yes does it"))
        self.chat.chat.done(input, ["you are not a moderator here"], self.chat.now)
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
        self.chat.permit(check)
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
        self.chat = ChatUnderTest(rooms: ["lobby", Self.kitchen], columns: 200)
        self.chat.enter("/clear")
        let check = self.chat.actions
        self.chat.press(.alt("2"))
        self.chat.permit(check)
        #expect(!self.chat.sees("/yes does it"))
        self.chat.press(.alt("1"))
        #expect(!self.chat.sees("/yes does it"))
        #expect(self.chat.sees("not done, as it needs an answer and something else came between: enter it again"))
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
        guard case .moderate(let request)? = self.chat.actions.first else {
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

    @Test mutating func `a name that two had is asked back, and an answer says which`() {
        self.chat = ChatUnderTest(columns: 200)
        let (han, bob) = (
            ChatUnderTest.member("Zed", id: "1", user: "han"), ChatUnderTest.member("Bob", id: "2", user: "bob")
        )
        self.chat.happens(.members([ChatUnderTest.me, han, bob], count: 3))
        self.chat.happens(
            .message(self.chat.message("buy", by: ChatUnderTest.member("Zed", id: "1")), self.chat.now.date)
        )
        self.chat.happens(.updated(ChatUnderTest.member("Han", id: "1", user: "han")))
        self.chat.happens(.updated(ChatUnderTest.member("Zed", id: "2", user: "bob")))
        self.chat.happens(
            .message(self.chat.message("hi", by: ChatUnderTest.member("Zed", id: "2")), self.chat.now.date)
        )
        #expect(self.chat.sees("Zed (han): buy") && self.chat.sees("Zed (bob): hi"))
        self.chat.enter("/mute Zed 1h")
        self.chat.permit()
        #expect(self.chat.actions.isEmpty && self.chat.sees("that can mean more than one; say which"))
        #expect(
            self.chat.sees("/1 is user bob, called Zed") && self.chat.sees("/2 is user han, called Han, who was Zed")
        )
        self.chat.enter("/3")
        #expect(self.chat.actions.isEmpty && self.chat.sees("there is nothing of that number to choose"))
        self.chat.enter("/2")
        self.chat.permit()
        #expect(self.chat.target?.subject == .user("han") && self.chat.target?.rest == "1h")
        self.chat.enter("/1")
        #expect(self.chat.actions.isEmpty)
    }

    @Test mutating func `only who is here can be kicked`() {
        self.chat = ChatUnderTest(columns: 200)
        let zoes = ["1", "2"].map { ChatUnderTest.member("Zoe", id: $0) }
        self.chat.happens(.members([ChatUnderTest.me] + zoes, count: 3))
        self.chat.happens(.left(zoes[0]))
        self.chat.enter("/kick Zoe bye")
        guard case .moderate(var input)? = self.chat.actions.first else {
            return #expect(Bool(false), "\(self.chat.actions)")
        }
        #expect((try? input.question()) == .some(nil) && input.target?.present == ["2"])
    }

    @Test mutating func `who is chosen of two is asked about before messages go`() {
        self.chat = ChatUnderTest(columns: 200)
        let zoes = ["1", "2"].map { ChatUnderTest.member("Zoe", id: $0) }
        self.chat.happens(.members([ChatUnderTest.me] + zoes, count: 3))
        self.chat.happens(.left(zoes[0]))
        self.chat.enter("/ban Zoe --redact")
        self.chat.permit()
        #expect(self.chat.sees("/1 is id 2, called Zoe") && self.chat.sees("/2 is id 1, called Zoe, who has left"))
        self.chat.enter("/2")
        self.chat.permit()
        #expect(self.chat.sees("this bans Zoe (1) from the room lobby until you lift it"))
        self.chat.enter("/yes")
        self.chat.permit()
        #expect(self.chat.target?.subject == .client("1"))
    }

    @Test(arguments: ["/who", "hello", "/mute Leia"])
    mutating func `a number chooses nothing once something else was entered`(line: String) {
        self.chat = ChatUnderTest(columns: 200)
        let zoes = ["1", "2"].map { ChatUnderTest.member("Zoe", id: $0) }
        self.chat.happens(.members([ChatUnderTest.me, ChatUnderTest.member("Leia")] + zoes, count: 4))
        self.chat.enter("/mute Zoe")
        self.chat.permit()
        self.chat.enter(line)
        self.chat.enter("/1")
        #expect(self.chat.actions.isEmpty && self.chat.sees("there is nothing of that number to choose"))
    }

    @Test mutating func `the question about a message tells its author from others of the name`() {
        self.chat = ChatUnderTest(columns: 200)
        let sams = ["1", "2"].map { ChatUnderTest.member("Sam", id: $0) }
        self.chat.happens(.members([ChatUnderTest.me] + sams, count: 3))
        self.chat.happens(.message(self.chat.message("buy", by: sams[1]), self.chat.now.date))
        self.chat.enter("/redact 1")
        self.chat.permit()
        #expect(self.chat.sees("from the room lobby: Sam (2): \"buy\"; /yes does it"))
    }

    @Test mutating func `nobody is a user who is not there, where all are known`() throws {
        self.chat.happens(.members([ChatUnderTest.me, ChatUnderTest.member("Leia", user: "u7")], count: 2))
        let hint = "; nobody in the room is the user Han now, and the ban holds for those who come"
        #expect(try self.hint("/ban user:Han 1h", "ban") == hint)
        #expect(try self.hint("/ban user:u7 1h", "ban") == "")
        // Of very large rooms the broker lists nobody.
        self.chat.happens(.members([], count: 1_500))
        #expect(try self.hint("/mute user:Han 1h", "mute") == "")
    }

    private mutating func hint(_ line: String, _ sanction: String) throws -> String {
        self.chat.enter(line)
        self.chat.permit()
        guard case .moderate(let input)? = self.chat.actions.first else { return "\(self.chat.actions)" }
        return input.hint(try #require(input.target), sanction)
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
