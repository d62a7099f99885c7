import Foundation
import RoomClient

/// One of the rooms that the chat is in. Pure.
struct OpenRoom: Sendable {
    /// Whether the user is in it.
    enum Standing: Equatable, Sendable {
        case joining
        case joined
        /// And why.
        case ended(String)
    }

    /// The last row that is shown: so many rows of this entry are below it.
    struct Anchor: Equatable, Sendable {
        var number: Int
        var hidden = 0
    }

    let name: String
    var standing = Standing.joining
    /// Whether the broker shows who is in it.
    var showsMembers = false
    var log = ChatLog()
    var people = RoomPeople()
    var rules = ChatRules()
    /// The news since the user looked.
    var unread = Unread()
    /// `nil`: the view follows what comes.
    var anchor: Anchor?

    var shownName: String { TerminalText.line(self.name) }

    mutating func remark(_ text: String, at date: Date) {
        self.log.remark([StyledLine.Span(text: "· \(TerminalText.line(text))", style: .dim)], at: date)
    }
}

/// The news in a room since the user looked at it. Pure.
struct Unread: Equatable, Sendable {
    private(set) var count = 0
    private(set) var mentions = 0
    /// The line "new" stands above this entry.
    private(set) var first: Int?

    /// - Parameter isSeen: the user is looking.
    mutating func came(_ number: Int, isMention: Bool, isSeen: Bool) {
        guard !isSeen else { return }
        if self.count == 0 { self.first = number }
        self.count += 1
        if isMention { self.mentions += 1 }
    }

    /// The user looks at it now; the line stays.
    mutating func seen() {
        (self.count, self.mentions) = (0, 0)
    }

    /// The user has gone on: the line has done its work.
    mutating func forget() {
        self.seen()
        self.first = nil
    }
}
