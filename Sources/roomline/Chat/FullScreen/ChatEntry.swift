import Foundation
import RoomClient

/// One thing that stands in a room: a message, or a remark of the chat.
struct ChatEntry: Equatable, Sendable {
    struct Message: Equatable, Sendable {
        let id: UUID
        let seq: UInt64?
        let sender: ChatMember
        let body: MessageBody
        var isOwn = false
        /// Why its text is gone; `nil`: it is there.
        var redaction: String?
    }

    enum Content: Equatable, Sendable {
        case message(Message)
        case remark([StyledLine.Span])
    }

    /// The entries of a room have consecutive numbers; older ones that are loaded later have lower ones.
    let number: Int
    let date: Date
    var content: Content

    var message: Message? {
        if case .message(let message) = self.content { message } else { nil }
    }
}

/// The text of a message as it can be shown: lines without anything that a terminal would obey.
struct MessageBody: Equatable, Sendable {
    private static let mostCharacters = 4_000
    private static let mostLines = 60
    private static let actionWord = "/me "

    let lines: [String]
    /// So many characters are not in the lines.
    let cut: Int
    /// `/me waves`, as in XMPP (XEP-0245): the text is about its sender.
    let isAction: Bool

    init(_ text: String) {
        self.isAction = text.hasPrefix(Self.actionWord)
        let shown = self.isAction ? text.dropFirst(Self.actionWord.count) : text[...]
        let beginning = shown.prefix(Self.mostCharacters)
        var lines = TerminalText.lines(String(beginning))
        while lines.count > 1, lines.last?.allSatisfy({ $0 == " " }) == true { lines.removeLast() }
        let dropped = lines.dropFirst(Self.mostLines).reduce(0) { $0 + $1.count + 1 }
        self.lines = Array(lines.prefix(Self.mostLines))
        self.cut = shown.count - beginning.count + dropped
    }
}

/// A message of the user's that the broker has not acknowledged yet, or whose copy the room has not brought yet.
struct OutgoingMessage: Equatable, Sendable {
    let ticket: Int
    let text: String
    let date: Date
    /// The id of the message, once it is acknowledged.
    var id: UUID?

    var body: MessageBody { MessageBody(self.text) }
}
