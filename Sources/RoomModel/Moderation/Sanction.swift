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
    /// The moderator or administrator who gave it, as the audit log names them.
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

/// The subject of a ban or a mute. It is never recognised by `client_data`, which a member can change.
///
/// Names are compared byte by byte, as the control file does: Swift takes "é" composed for "é" decomposed.
package enum SanctionSubject: Hashable, Sendable {
    /// The user that the member's token names (`UserIdentity`), on whatever connection.
    case user(String)
    /// One `client_id`: a member that connects anew without resuming has another.
    case client(ClientID)
    case address(AddressRange)

    /// The most bytes that a user's identity can have here.
    package static let longestUser = 200
}

extension SanctionSubject {
    package static func == (left: SanctionSubject, right: SanctionSubject) -> Bool {
        switch (left, right) {
        case (.user(let left), .user(let right)): left.utf8.elementsEqual(right.utf8)
        case (.client(let left), .client(let right)): left.text.utf8.elementsEqual(right.text.utf8)
        case (.address(let left), .address(let right)): left == right
        case (.user, _), (.client, _), (.address, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .user(let user): Self.hash(user, into: &hasher)
        case .client(let client): Self.hash(client.text, into: &hasher)
        case .address(let range): hasher.combine(range)
        }
    }

    private static func hash(_ text: String, into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension SanctionSubject {
    /// The name of the field that has it.
    package var field: String {
        switch self {
        case .user: "user"
        case .client: "client_id"
        case .address: "address"
        }
    }

    package var text: String {
        switch self {
        case .user(let user): user
        case .client(let client): client.text
        case .address(let range): "\(range)"
        }
    }
}
