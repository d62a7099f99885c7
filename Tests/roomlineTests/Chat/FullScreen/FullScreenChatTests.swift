import Foundation
import Testing

@testable import RoomClient
@testable import roomline

@Suite struct FullScreenChatTests {
    private static let kitchen = "kitchen"
    private var chat = ChatUnderTest(rooms: ["lobby", Self.kitchen])

    // MARK: Messages of the user's

    @Test mutating func `a message is dim until it is acknowledged, and stands there once`() {
        self.chat.enter("hello")
        #expect(self.chat.actions == [.publish("hello", room: "lobby", ticket: 1)])
        #expect(self.chat.styles(of: "hello") == [.dim])
        let id = self.chat.says("hello", isOwn: true)
        _ = self.chat.chat.acknowledged("lobby", ticket: 1, id: id)
        #expect(self.chat.styles(of: "hello") == [.normal])
        #expect(self.chat.chat.unsettled == 0)
    }

    @Test mutating func `the acknowledgement may come before the room brings the message`() {
        self.chat.enter("hello")
        let message = self.chat.message("hello", by: ChatUnderTest.me, isOwn: true)
        _ = self.chat.chat.acknowledged("lobby", ticket: 1, id: message.id)
        #expect(self.chat.styles(of: "hello") == [.normal])
        self.chat.happens(.message(message, self.chat.now.date))
        #expect(self.chat.styles(of: "hello") == [.normal])
    }

    @Test mutating func `a refused message says why`() {
        self.chat.enter("hello")
        _ = self.chat.chat.refused("lobby", ticket: 1, "the room is locked", self.chat.now)
        #expect(self.chat.sees("not sent: \"hello\": the room is"))
        #expect(self.chat.chat.unsettled == 0)
    }

    @Test mutating func `leaving waits for what is not acknowledged, or the user insists`() {
        self.chat.enter("hello")
        self.chat.enter("/quit")
        #expect(self.chat.actions == [])
        #expect(self.chat.sees("waiting for 1 message, Ctrl-C leaves now"))
        var insisting = self.chat
        insisting.press(.control("c"))
        #expect(insisting.actions == [.end])
        let id = self.chat.says("hello", isOwn: true)
        #expect(self.chat.chat.acknowledged("lobby", ticket: 1, id: id) == [.end])
    }

    // MARK: Rooms

    @Test mutating func `what comes into another room is counted, and a line shows where it began`() {
        self.chat.says("before", in: Self.kitchen)
        self.chat.press(.control("n"))
        self.chat.press(.control("p"))
        self.chat.says("one", in: Self.kitchen)
        self.chat.says("two", in: Self.kitchen)
        #expect(self.chat.sees("2 kitchen        2"))
        self.chat.press(.alt("2"))
        #expect(!self.chat.sees("kitchen        2"))
        let rows = self.chat.screen.filter { $0.contains("before") || $0.contains(" new ") || $0.contains(": one") }
        #expect(rows.count == 3 && rows[1].contains("── new ──"))
        self.chat.press(.enter)
        #expect(!self.chat.sees(" new "))
    }

    @Test mutating func `rooms are opened, shown and left`() {
        self.chat.enter("/join attic")
        #expect(self.chat.actions == [.join("attic")])
        #expect(self.chat.screen[0].hasPrefix(" attic · joining…"))
        _ = self.chat.chat.joined("attic", at: nil, showsMembers: true)
        self.chat.enter("/join \(Self.kitchen)")
        #expect(self.chat.actions == [] && self.chat.screen[0].hasPrefix(" \(Self.kitchen)"))
        self.chat.enter("/leave attic")
        #expect(self.chat.actions == [.leave("attic")])
        #expect(self.chat.screen[0].hasPrefix(" \(Self.kitchen)"))
        self.chat.enter("/leave")
        #expect(self.chat.actions == [.leave(Self.kitchen)])
        self.chat.enter("/leave")
        #expect(self.chat.actions == [] && self.chat.sees("your only room"))
    }

    @Test mutating func `a room has the same name everywhere, whatever it begins with`() {
        self.chat.enter("/join observable-x")
        #expect(self.chat.screen[0].hasPrefix(" observable-x · joining…"))
        #expect(self.chat.sees("3 observable-x ") && self.chat.sees("1 lobby "))
    }

    @Test mutating func `who is here is shown in any room, where the channel shows it`() {
        self.chat.happens(.members([ChatUnderTest.me, ChatUnderTest.member("Leia")], count: 2))
        self.chat.enter("/who")
        #expect(self.chat.sees("· 2 here:") && self.chat.sees("lobby · 2 members "))
        self.chat.enter("/join attic")
        _ = self.chat.chat.joined("attic", at: nil, showsMembers: false)
        self.chat.enter("/who")
        #expect(self.chat.sees("· this channel does not show who is in the room"))
        // until it does
        self.chat.happens(.members([ChatUnderTest.me], count: 1), in: "attic")
        #expect(self.chat.sees("attic · 1 member "))
    }

    @Test mutating func `a room that was closed before it was joined is left`() {
        self.chat.enter("/join attic")
        self.chat.enter("/leave")
        #expect(self.chat.chat.joined("attic", at: nil, showsMembers: true) == [.leave("attic")])
    }

    @Test mutating func `a room that ended takes no messages, and can be joined again`() {
        self.chat.chat.ended("lobby", "a moderator has removed you", self.chat.now)
        #expect(self.chat.screen[0].contains("not joined"))
        #expect(self.chat.sees("· a moderator has removed you; /join"))
        self.chat.enter("hello")
        #expect(self.chat.actions == [])
        // What was typed is not lost.
        #expect(self.chat.chat.editor.text == "hello" && self.chat.sees("· not sent, as you are not in this"))
        self.chat.press(.control("u"))
        self.chat.enter("/join lobby")
        #expect(self.chat.actions == [.join("lobby")])
    }

    @Test mutating func `a room that nobody has written in says so`() {
        #expect(self.chat.sees("Nobody has written here yet. Say hello."))
        self.chat.says("hello")
        #expect(!self.chat.sees("Nobody has written here yet"))
        self.chat.enter("/join cantina")
        #expect(!self.chat.sees("Nobody has written here yet"))
    }

    @Test mutating func `a room that is joined again is shown from its end, and nothing in it is new`() {
        for number in 1...40 { self.chat.says("message \(number)") }
        self.chat.press(.pageUp)
        self.chat.says("unread")
        self.chat.chat.ended("lobby", "a moderator has removed you", self.chat.now)
        self.chat.enter("/join lobby")
        for number in 1...60 { self.chat.says("again \(number)") }
        #expect(self.chat.sees("again 60") && !self.chat.sees("─ new ─"))
    }

    @Test mutating func `the next room with something new is one with a mention`() {
        self.chat.enter("/join attic")
        self.chat.press(.alt("1"))
        self.chat.says("something", in: Self.kitchen)
        self.chat.says("Luke?", in: "attic")
        self.chat.press(.alt("a"))
        #expect(self.chat.screen[0].hasPrefix(" attic"))
        self.chat.press(.alt("a"))
        #expect(self.chat.screen[0].hasPrefix(" \(Self.kitchen)"))
    }

    // MARK: Mentions

    @Test(arguments: [
        ("hello luke!", true), ("LUKE", true), ("@Luke: look", true), ("lukewarm", false), ("Lucas", false),
        ("fluke", false), ("line\nLuke", true),
    ])
    mutating func `the user's name rings the bell`(text: String, isMention: Bool) {
        self.chat.says(text, in: Self.kitchen)
        #expect(self.chat.actions == (isMention ? [.ring] : []))
        #expect(self.chat.sees("kitchen       1!") == isMention)
    }

    @Test mutating func `one's own name stands out in what others say`() {
        self.chat.says("hello luke!")
        #expect(self.chat.styles(of: "luke") == [.inverse])
        self.chat.says("you there, Luke")
        let row = self.chat.frame.rows.first { $0.text.contains("you there") }
        #expect(row?.spans.filter { $0.style == .inverse }.map(\.text) == ["Luke"])
        self.chat.says("I am Luke", isOwn: true)
        #expect(self.chat.actions == [] && self.chat.styles(of: "I am Luke") == [.normal])
    }

    // MARK: Typing and pasting

    @Test mutating func `a short paste stays as it is`() {
        self.chat.press(.pasted("one\n  two\r\nthree"), .enter)
        #expect(self.chat.actions.last == .publish("one\n  two\nthree", room: "lobby", ticket: 1))
        let rows = self.chat.screen.filter { $0.contains("one") || $0.contains("  two") || $0.contains("three") }
        #expect(rows.count == 3)
    }

    @Test mutating func `several lines have several rows, and the one with the cursor is among them`() {
        self.chat.press(.pasted("one\ntwo\nthree"))
        #expect(self.chat.screen.suffix(3) == ["Luke> one", "      two", "      three"])
        #expect(self.chat.frame.cursor == ScreenFrame.Position(row: 23, column: 11))
        self.chat.press(.home)
        #expect(self.chat.frame.cursor == ScreenFrame.Position(row: 21, column: 6))
        self.chat.press(.end, .altEnter, .text("x"), .altEnter, .altEnter, .altEnter, .altEnter)
        #expect(self.chat.screen.suffix(6) == ["Luke> three", "      x", "", "", "", ""])
        self.chat.press(.control("c"))
        #expect(self.chat.screen.last == "Luke>")
    }

    @Test mutating func `a long paste is asked about`() {
        let text = Array(repeating: "line", count: 8).joined(separator: "\n")
        self.chat.press(.pasted(text))
        #expect(self.chat.sees("Paste 8 lines? y or Enter: yes, n or Escape: no"))
        #expect(self.chat.sees("the next Enter sends it"))
        self.chat.press(.text("n"), .enter)
        #expect(self.chat.actions == [])
        self.chat.press(.pasted(text), .text("y"), .enter)
        #expect(self.chat.actions.last == .publish(text, room: "lobby", ticket: 1))
    }

    @Test mutating func `the line end behind a paste is not a line`() {
        self.chat.press(.pasted("one\r\ntwo\r\n"), .enter)
        #expect(self.chat.actions.last == .publish("one\ntwo", room: "lobby", ticket: 1))
        let text = Array(repeating: "line", count: 5).joined(separator: "\n")
        self.chat.press(.pasted(text + "\n"), .enter)
        #expect(self.chat.actions.last == .publish(text, room: "lobby", ticket: 2))
        self.chat.press(.pasted(text + "\nmore\n"))
        #expect(self.chat.sees("Paste 6 lines?"))
    }

    @Test mutating func `others are told of typing every few seconds`() {
        self.chat.type("hello")
        #expect(self.chat.actions == [.tellTyping(room: "lobby")])
        self.chat.type("!")
        #expect(self.chat.actions == [])
        self.chat.advance(TypingIndicators.interval)
        self.chat.type("!")
        #expect(self.chat.actions == [.tellTyping(room: "lobby")])
        self.chat.press(.control("u"))
        self.chat.advance(TypingIndicators.interval)
        self.chat.type("/who")
        #expect(self.chat.actions == [])
    }

    @Test mutating func `names, commands and rooms are completed`() {
        self.chat.happens(.members([ChatUnderTest.me, ChatUnderTest.member("Leia")], count: 2))
        self.chat.type("Le")
        self.chat.press(.tab)
        #expect(self.chat.chat.editor.text == "Leia: ")
        self.chat.press(.control("u"))
        self.chat.type("/leave k")
        self.chat.press(.tab)
        #expect(self.chat.chat.editor.text == "/leave \(Self.kitchen) ")
    }

    @Test(arguments: [("/kick ", "/kick Leia "), ("/ban ", "/ban Le"), ("", "Le")])
    mutating func `who has left is offered where a command can be for them`(command: String, completed: String) {
        self.chat.happens(.members(["Luke", "Leia", "Lena"].map { ChatUnderTest.member($0) }, count: 3))
        self.chat.happens(.left(ChatUnderTest.member("Lena")))
        self.chat.type(command + "Le")
        self.chat.press(.tab)
        #expect(self.chat.chat.editor.text == completed)
    }

    @Test mutating func `names that a beginning may become are shown until the next key`() {
        self.chat.happens(.members(["Leia", "Lando"].map { ChatUnderTest.member($0) }, count: 2))
        self.chat.type("L")
        self.chat.press(.tab)
        #expect(self.chat.chat.editor.text == "L" && self.chat.sees(" Lando, Leia"))
        self.chat.type("e")
        #expect(!self.chat.sees(" Lando, Leia"))
        self.chat.press(.tab)
        #expect(self.chat.chat.editor.text == "Leia: " && !self.chat.sees(" Lando, Leia"))
    }

    // MARK: Members

    @Test mutating func `members of one name are told apart`() {
        let first = ChatUnderTest.member("Leia", id: "Kf3Qz81L")
        let second = ChatUnderTest.member("leia", id: "0pV7dHs2", user: "u7")
        self.chat.happens(.members([ChatUnderTest.me, first], count: 2))
        self.chat.happens(.message(self.chat.message("hello", by: first), self.chat.now.date))
        #expect(self.chat.sees("Leia: hello"))
        self.chat.happens(.joined(second))
        #expect(self.chat.sees("Leia (Kf3Qz): hello"))
        #expect(self.chat.sees("│ Leia (Kf3Qz)") && self.chat.sees("│ leia (u7)"))
        self.chat.happens(.left(second))
        #expect(self.chat.sees("Leia (Kf3Qz): hello") && self.chat.sees("│ Leia (Kf3Qz)"))
    }

    @Test mutating func `a mark behind one's own name leaves room for the you`() {
        let others = ["Luke", "Lucky Luke of the west"].map { ChatUnderTest.member($0, id: "other-\($0)") }
        self.chat.happens(.members([ChatUnderTest.member("Luke", id: "me", user: "looooooo")] + others, count: 3))
        #expect(self.chat.sees("│ Luke (looo… you"))
        #expect(self.chat.sees("│ Luke (other)"))
    }

    @Test mutating func `a join that the list was too early for counts once`() throws {
        let members = try ["me", "ann"].map {
            Member(id: $0, clientData: try JSON(#"{"name":"\#($0)"}"#), authData: nil)
        }
        // The board has both already.
        let list = RoomNews(.members([members[0]]), memberCount: 2, timeZone: Golden.utc)
        self.chat.happens(try #require(list))
        #expect(self.chat.sees("lobby · 1 member "))
        self.chat.happens(try #require(RoomNews(.joined(members[1]), memberCount: 2, timeZone: Golden.utc)))
        #expect(self.chat.sees("lobby · 2 members "))
        // Of a very large room there is only the count.
        self.chat.happens(try #require(RoomNews(.members([]), memberCount: 1_500, timeZone: Golden.utc)))
        #expect(self.chat.sees("1500 members"))
    }

    @Test mutating func `another name is told, but not to oneself`() {
        self.chat.happens(.members([ChatUnderTest.me, ChatUnderTest.member("Leia", id: "x")], count: 2))
        self.chat.happens(.updated(ChatUnderTest.member("Queen", id: "x")))
        self.chat.happens(.updated(ChatUnderTest.member("Bobby", id: "me")))
        #expect(self.chat.sees("· Leia is Queen now") && !self.chat.sees("is Bobby now"))
        #expect(self.chat.sees("│ Bobby you"))
    }

    @Test mutating func `the connections of one user are one`() {
        let members = ["a", "b"].map { ChatUnderTest.member("Leia", id: $0, user: "u7") }
        self.chat.happens(.members(members, count: 2))
        #expect(self.chat.screen.count { $0.contains("│ Leia u7") } == 2)
    }

    // MARK: The connection

    @Test mutating func `the seconds until the next attempt are counted down`() {
        self.chat.lose(retryIn: .seconds(8))
        #expect(self.chat.sees("connection lost, next attempt in 8 s"))
        self.chat.advance(.milliseconds(2_500))
        #expect(self.chat.sees("next attempt in 6 s"))
        self.chat.enter("meanwhile")
        #expect(self.chat.sees("1 message not sent yet") && self.chat.styles(of: "meanwhile") == [.dim])
        self.chat.connection(.connected(clientID: "me"))
        #expect(!self.chat.sees("next attempt") && self.chat.sees("connected again"))
    }

    @Test(arguments: [60, 80])
    mutating func `a narrow screen says the same in fewer words`(columns: Int) {
        self.chat.chat.resized(FullScreenChat.Size(columns: columns, rows: 24))
        for _ in 0..<12 { self.chat.enter("meanwhile") }
        self.chat.lose(retryIn: .seconds(11))
        #expect(self.chat.sees(" retry in 11 s (Enter) · 12 unsent"))
        self.chat.chat.resized(FullScreenChat.Size(columns: 100, rows: 24))
        #expect(self.chat.sees(" connection lost, next attempt in 11 s, Enter tries now · 12 messages not sent yet"))
    }

    @Test mutating func `a room that one is not in is told nothing of the connection`() {
        self.chat.enter("/join cantina")
        self.chat.lose()
        self.chat.connection(.connected(clientID: "me"))
        #expect(!self.chat.sees("connected again"))
        self.chat.press(.alt("1"))
        #expect(self.chat.sees("connected again"))
    }

    @Test mutating func `Enter tries at once, and only where there is nothing to send and no connection`() {
        self.chat.press(.enter)
        #expect(self.chat.actions == [])
        self.chat.lose()
        #expect(self.chat.sees("next attempt in 8 s, Enter tries now"))
        self.chat.press(.enter)
        #expect(self.chat.actions == [.reconnect])
        self.chat.connection(.connecting)
        self.chat.press(.enter)
        #expect(self.chat.actions == [])
    }
}
