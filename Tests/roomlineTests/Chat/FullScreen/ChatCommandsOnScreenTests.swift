import Foundation
import Testing

@testable import RoomClient
@testable import roomline

/// What is typed behind a slash.
@Suite struct ChatCommandsOnScreenTests {
    private static let kitchen = "kitchen"
    private var chat = ChatUnderTest(rooms: ["lobby", Self.kitchen])

    @Test mutating func `me is a text about the user`() {
        self.chat.enter("/me waves")
        #expect(self.chat.actions == [.publish("/me waves", room: "lobby", ticket: 1)])
        #expect(self.chat.sees("* Luke waves"))
    }

    @Test mutating func `there are no private messages, and nothing is sent`() {
        self.chat.enter("/msg Leia secret")
        #expect(self.chat.actions == [] && self.chat.sees("there are no private messages"))
    }

    @Test mutating func `who tells everything about the members`() {
        let members = [ChatUnderTest.me, ChatUnderTest.member("Leia", id: "Kf3Qz81LmXw0TbR", user: "u7")]
        self.chat.happens(.members(members, count: 2))
        self.chat.chat.resized(FullScreenChat.Size(columns: 120, rows: 24))
        self.chat.enter("/who")
        #expect(self.chat.sees("Leia  user u7, id Kf3Qz81LmXw0TbR"))
        #expect(self.chat.sees("Luke  id me (you)"))
    }

    @Test mutating func `the help has pages, and what is typed closes it`() {
        self.chat.says("a message")
        self.chat.enter("/help")
        #expect(self.chat.sees("/join ROOM") && !self.chat.sees("a message") && !self.chat.sees("/redact"))
        self.chat.press(.pageDown, .pageDown)
        #expect(self.chat.sees("/redact N [WHY]") && self.chat.sees("/notice TEXT") && !self.chat.sees("/join"))
        self.chat.press(.pageUp, .pageUp, .pageUp)
        #expect(self.chat.sees("Commands"))
        self.chat.type("x")
        #expect(self.chat.sees("a message") && self.chat.sees("Luke> x"))
        self.chat.press(.control("u"))
        self.chat.enter("/help")
        self.chat.press(.escape)
        #expect(self.chat.sees("a message"))
    }

    @Test mutating func `the help says how to see the rest only where there is one`() {
        self.chat.enter("/help")
        #expect(self.chat.sees("Page Up and Page Down show the rest, Escape closes the help"))
        self.chat.chat.resized(FullScreenChat.Size(columns: 100, rows: 75))
        #expect(self.chat.screen[73] == " Escape closes the help")
    }

    @Test func `the help has all keys of the page`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
        let page = try String(contentsOf: root.appending(path: "docs/chat.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").map(String.init)
        let table = lines.drop { $0 != "## Keys" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        var keys: [String] = []
        for row in table.filter({ $0.hasPrefix("| ") }).dropFirst(2) {
            let cell = String(row.dropFirst(2).prefix { $0 != "|" })
            let words = cell.replacing(" to ", with: ", ").replacing(" ", with: "")
            keys += words.split(separator: ",").map(String.init)
        }
        #expect(keys.count > 20)
        let help = HelpPage.keys.map { "\($0.0) \($0.1)" }.joined(separator: "\n").replacing(" ", with: "")
        for key in keys { #expect(help.contains(key), "\(key)") }
    }
}
