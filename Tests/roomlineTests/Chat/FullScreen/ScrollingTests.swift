import Foundation
import Testing

@testable import RoomClient
@testable import roomline

@Suite struct ScrollingTests {
    /// 21 rows of messages.
    private var chat = ChatUnderTest()

    private mutating func say(_ numbers: ClosedRange<Int>) {
        for number in numbers { self.chat.says("message \(number).") }
    }

    private var shown: [Int] {
        self.chat.screen.compactMap { row in
            row.split(separator: "message ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test mutating func `pages up and down, and what comes meanwhile does not move the view`() {
        self.say(1...50)
        #expect(self.shown == Array(30...50))
        self.chat.press(.pageUp)
        #expect(self.shown == Array(10...30))
        self.say(51...53)
        #expect(self.shown == Array(10...30) && self.chat.sees("3 new below"))
        self.chat.press(.pageDown)
        #expect(self.shown == Array(30...50))
        self.chat.press(.pageDown)
        // The line "new" takes a row.
        #expect(self.shown == Array(34...53) && self.chat.sees("── new ──"))
        self.say(54...54)
        #expect(self.shown.last == 54)
    }

    @Test mutating func `the first page is full, and then there is no further`() {
        self.say(1...50)
        for _ in 0..<5 { self.chat.press(.pageUp) }
        // Above the messages are the beginning and the day.
        #expect(self.shown == Array(1...19) && self.chat.sees("── the beginning ──"))
        self.chat.press(.escape)
        #expect(self.shown == Array(30...50))
    }

    @Test mutating func `a page that begins before the first message is the first page`() {
        self.say(1...35)
        self.chat.press(.pageUp)
        #expect(self.shown == Array(1...19))
    }

    @Test mutating func `older messages are loaded at the top, once`() {
        let position = RoomPosition(epoch: ChatUnderTest.epoch, seq: 100)
        _ = self.chat.chat.joined("lobby", at: position, showsMembers: true)
        self.chat.press(.pageUp)
        #expect(self.chat.actions == [.loadOlder(room: "lobby", upTo: position, count: 100)])
        self.chat.press(.pageUp)
        #expect(self.chat.actions == [])
        let messages = (1...100).map { number in
            (
                message: self.chat.message("message \(number).", by: ChatUnderTest.member("Leia")),
                date: self.chat.now.date
            )
        }
        self.chat.chat.loaded("lobby", messages, asked: 100)
        #expect(self.shown == Array(80...100))
        for _ in 0..<3 { self.chat.press(.pageUp) }
        #expect(self.shown.first == 20)
    }

    @Test mutating func `a message that comes live and from the history stands there once`() {
        _ = self.chat.chat.joined("lobby", at: RoomPosition(epoch: ChatUnderTest.epoch, seq: 1), showsMembers: true)
        let message = self.chat.message("message 1.", by: ChatUnderTest.member("Leia"))
        self.chat.happens(.message(message, self.chat.now.date))
        self.chat.chat.loaded("lobby", [(message: message, date: self.chat.now.date)], asked: 20)
        #expect(self.shown == [1])
    }

    @Test mutating func `a failure leaves the older ones to be asked for again`() {
        let position = RoomPosition(epoch: ChatUnderTest.epoch, seq: 100)
        _ = self.chat.chat.joined("lobby", at: position, showsMembers: true)
        self.chat.press(.pageUp)
        self.chat.chat.notLoaded("lobby", upTo: position, isOff: false, "timed out", self.chat.now)
        #expect(self.chat.sees("the history cannot be had"))
        self.chat.press(.pageUp)
        #expect(self.chat.actions.count == 1)
    }

    @Test mutating func `a search goes from match to match and back to the end`() {
        self.say(1...60)
        self.chat.press(.control("r"))
        self.chat.type("MESSAGE 2")
        #expect(self.chat.sees("search: MESSAGE 2") && self.chat.sees("(1 of 11 in what is loaded)"))
        #expect(self.chat.styles(of: "message 2").contains(.found) && self.shown.contains(29))
        self.chat.press(.up)
        #expect(self.chat.chat.search.match == 27 && self.chat.sees("(2 of 11 in what is loaded)"))
        self.chat.press(.down)
        #expect(self.chat.chat.search.match == 28)
        self.chat.type("x")
        #expect(self.chat.sees("not found in what is loaded"))
        self.chat.press(.escape)
        #expect(self.shown.last == 60 && !self.chat.sees("search:"))
    }

    @Test mutating func `a long room keeps its newest messages, and can load the others again`() {
        self.say(1...6_000)
        #expect(self.chat.chat.room.log.entries.count <= 5_500)
        guard case .upTo(let position) = self.chat.chat.room.log.older else { return #expect(Bool(false)) }
        let first = self.chat.chat.room.log.entries.first?.message?.seq
        #expect(position.seq + 1 == first)
    }

    @Test mutating func `a smaller screen keeps the end in view`() {
        self.say(1...50)
        self.chat.chat.resized(FullScreenChat.Size(columns: 60, rows: 6))
        #expect(self.shown == [48, 49, 50])
    }
}
