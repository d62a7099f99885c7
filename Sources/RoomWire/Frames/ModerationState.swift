package import RoomModel

/// The answer to a moderator who asks what is set in a room, and who has written a message.
package struct ModerationStateReply: DescribedObject, Equatable, Sendable {
    package private(set) var rules: RoomRules
    /// The newest ones.
    package private(set) var sanctions: [ShownSanction]
    /// How many there are.
    package private(set) var total: Int
    /// The author of the message that was asked about.
    package private(set) var author: ShownAuthor?

    package init(_ rules: RoomRules, _ sanctions: [Sanction], total: Int, author: ShownAuthor?) {
        (self.rules, self.sanctions) = (rules, sanctions.map { ShownSanction($0) })
        (self.total, self.author) = (total, author)
    }

    package init(placeholder: ()) { self.init(RoomRules(), [], total: 0, author: nil) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("rules", &self.rules)
        try visitor.field("sanctions", &self.sanctions)
        try visitor.field("total", &self.total, .atLeast(0))
        try visitor.field("author", &self.author)
    }
}

/// The rules of a room, also as the admin API shows them.
extension RoomRules: DescribedObject {
    package init(placeholder: ()) { self.init() }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("locked", &self.isLocked)
        try visitor.field("lock_reason", &self.lockReason)
        try visitor.field("slow_mode_seconds", &self.slowMode, .within(Self.slowModeBounds))
        try visitor.field("member_limit", &self.memberLimit, .within(Self.memberLimitBounds))
    }
}

/// A ban or a mute of a room, as a moderator is shown it.
package struct ShownSanction: DescribedObject, Equatable, Sendable {
    /// A word of the protocol's; newer brokers may have newer ones.
    package private(set) var kind = ""
    /// One of these three names the subject.
    package private(set) var user: String?
    package private(set) var clientID: String?
    package private(set) var address: String?
    /// For people.
    package private(set) var reason: String?
    /// As the audit log names them.
    package private(set) var author = ""
    /// Unix seconds.
    package private(set) var created: Int64 = 0
    package private(set) var until: Int64?

    init(_ sanction: Sanction) {
        self.kind = sanction.key.kind.rawValue
        switch sanction.key.subject {
        case .user(let user): self.user = user
        case .client(let client): self.clientID = client.text
        case .address(let range): self.address = "\(range)"
        }
        (self.reason, self.author, self.created) = (sanction.reason, sanction.author, sanction.created / 1_000)
        // the second in which it ends has to be over
        self.until = sanction.expires.map { ($0 + 999) / 1_000 }
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("kind", &self.kind)
        try visitor.field("user", &self.user)
        try visitor.field("client_id", &self.clientID)
        try visitor.field("address", &self.address)
        try visitor.field("reason", &self.reason)
        try visitor.field("author", &self.author)
        try visitor.field("created", &self.created, .atLeast(0))
        try visitor.field("until", &self.until, .atLeast(0))
    }
}

/// The author of a message, as far as the broker knows.
package struct ShownAuthor: DescribedObject, Equatable, Sendable {
    package private(set) var user: String?
    package private(set) var clientID: String?

    package init(user: String?, clientID: String?) {
        (self.user, self.clientID) = (user, clientID)
    }

    package init(placeholder: ()) { self.init(user: nil, clientID: nil) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("user", &self.user)
        try visitor.field("client_id", &self.clientID)
    }
}
