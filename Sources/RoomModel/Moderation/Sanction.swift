/// A ban or a mute: what is kept from whom, where, and until when.
package struct Sanction: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Cannot connect to the channel, or come into the room.
        case ban
        /// Can listen, but not publish.
        case mute
    }

    /// There is one sanction of a kind for a subject in a place: another one takes its place.
    package struct Key: Hashable, Sendable {
        package var kind: Kind
        /// `nil`: the whole channel.
        package var room: RoomName?
        package var subject: SanctionSubject

        package init(_ kind: Kind, of subject: SanctionSubject, in room: RoomName?) {
            self.kind = kind
            self.room = room
            self.subject = subject
        }
    }

    package var key: Key
    /// For people; the sanctioned member sees it.
    package var reason: String?
    /// Who gave it, as the audit log names them.
    package var author: String
    /// Unix milliseconds.
    package var created: Int64
    /// Unix milliseconds from which on it does not hold any more; `nil`: until it is lifted.
    package var expires: Int64?

    package init(key: Key, reason: String?, author: String, created: Int64, expires: Int64?) {
        self.key = key
        self.reason = reason
        self.author = author
        self.created = created
        self.expires = expires
    }

    /// - Parameter now: Unix milliseconds.
    package func holds(at now: Int64) -> Bool { self.expires.map { now < $0 } ?? true }
}
