import RoomCore
package import RoomModel
import RoomWire

/// Somebody as the messages of a log name their authors.
package struct MessageAuthor: Hashable, Sendable {
    package var user: String?
    package var clients: Set<ClientID>

    package init(user: String?, clients: Set<ClientID>) {
        self.user = user
        self.clients = clients
    }

    func wrote(_ message: LogEntry) -> Bool {
        if let user, message.user?.utf8.elementsEqual(user.utf8) ?? false { return true }
        guard let author = PublishWriter.author(ofTail: message.tail) else { return false }
        if let client = author.clientID, self.clients.contains(client) { return true }
        guard let user else { return false }
        return UserIdentity.of(author).map { $0.utf8.elementsEqual(user.utf8) } ?? false
    }
}

/// A step through a room's log that redacts some of the messages of an author.
package struct AuthorStep: Equatable, Sendable {
    package var author: MessageAuthor
    /// For people.
    package var reason: String?
    /// Where it begins.
    package var after: UInt64
    /// Where the last step ends; `nil` in the first one: where the room is.
    package var end: Position?
    /// Only counts.
    package var isDryRun: Bool

    package init(
        _ author: MessageAuthor,
        reason: String? = nil,
        after: UInt64 = 0,
        end: Position? = nil,
        isDryRun: Bool = false
    ) {
        self.author = author
        self.reason = reason
        self.after = after
        self.end = end
        self.isDryRun = isDryRun
    }

    package struct Receipt: Equatable, Sendable {
        /// The messages that it has redacted, or found.
        package var count: Int
        /// Where the next step begins; `nil`: there is none.
        package var next: UInt64?
        package var end: Position

        package init(count: Int, next: UInt64?, end: Position) {
            self.count = count
            self.next = next
            self.end = end
        }
    }
}
