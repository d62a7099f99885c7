package import RoomModel
package import RoomWire

/// A ban or a mute: `Sanction` in `Schemas/admin.openapi.yaml`.
public struct AdminSanction: AdminDocument, Equatable, Sendable {
    /// The kind: a ban or a mute.
    public enum Kind: String, CaseIterable, Sendable {
        /// To be there.
        case ban
        /// To publish.
        case mute
    }

    /// The kind: a ban or a mute.
    public package(set) var kind = Kind.ban
    /// The room; `nil`: the whole channel.
    public package(set) var room: String?
    /// The user that it is for. One of the three subjects is there.
    public package(set) var user: String?
    /// The client id that it is for.
    public package(set) var clientId: String?
    /// The address or the network that it is for.
    public package(set) var address: String?
    /// The text that the member is told.
    public package(set) var reason: String?
    /// The actor that has imposed it, as in the audit log: `uid:0`, `token:ops`, `member:17`.
    public package(set) var author = ""
    /// The time of its beginning.
    public package(set) var created = AdminTime(rawValue: "")
    /// The time of its end; `nil`: when it is lifted.
    public package(set) var expires: AdminTime?
    /// The messages that the first request has redacted, where they go with a ban; see
    /// ``AdminClient/redactMessages(of:in:room:reason:isDryRun:after:onStep:)``.
    public package(set) var redacted: RedactedMessages?

    package init(_ sanction: Sanction, redacted: RedactedMessages? = nil) {
        self.kind = sanction.key.kind == .ban ? .ban : .mute
        self.room = sanction.key.room?.text
        switch sanction.key.subject {
        case .user(let user): self.user = user
        case .client(let id): self.clientId = id.text
        case .address(let range): self.address = "\(range)"
        }
        (self.reason, self.author) = (sanction.reason, sanction.author)
        self.created = AdminTime(milliseconds: sanction.created)
        self.expires = sanction.expires.map { AdminTime(milliseconds: $0) }
        self.redacted = redacted
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("kind", &self.kind)
        try visitor.field("room", &self.room)
        try visitor.field("user", &self.user)
        try visitor.field("client_id", &self.clientId)
        try visitor.field("address", &self.address)
        try visitor.field("reason", &self.reason)
        try visitor.field("author", &self.author)
        try visitor.field("created", &self.created)
        try visitor.field("expires", &self.expires)
        try visitor.field("redacted", &self.redacted)
    }
}

extension AdminSanction.Kind: WordValue {}

/// A ban or a mute to be imposed: `NewSanction` in `Schemas/admin.openapi.yaml`.
package struct NewAdminSanction: AdminDocument {
    package var kind = AdminSanction.Kind.ban
    /// `nil`: the whole channel.
    package var room: String?
    package var subject = SubjectFields()
    package var reason: String?
    /// `nil`: until it is lifted.
    package var duration: Duration?
    /// The messages of the subject go with it.
    package var isRedacting = false

    package init(_ kind: AdminSanction.Kind, of subject: SubjectFields, isRedacting: Bool) {
        (self.kind, self.subject, self.isRedacting) = (kind, subject, isRedacting)
    }

    package static let rightRoom = "the name of a room, or leave it out for the whole channel"

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let words = AdminSanction.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        try visitor.field("kind", &self.kind, .like("one of \(words)"))
        try visitor.field("room", &self.room, .like(Self.rightRoom))
        try self.subject.fields(&visitor)
        try visitor.field("reason", &self.reason, .like("a text"))
        try visitor.whole("seconds", &self.duration, 1...ModerationAct.longestSanction)
        try visitor.field("redact", &self.isRedacting, or: false)
    }
}

/// The subject of an act in a body: one of the three names it.
package struct SubjectFields: Equatable, Sendable {
    package var user: String?
    package var clientID: String?
    package var address: String?

    package init() {}

    /// The subject of a body, with an address where that can be one.
    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(
        _ visitor: inout Visitor,
        hasAddress: Bool = true
    ) throws(Visitor.Fault) {
        try Self.name("user", &self.user, &visitor)
        try Self.name("client_id", &self.clientID, &visitor)
        if hasAddress { try Self.name("address", &self.address, &visitor) }
    }

    /// A null is not a name: it might be a user that the caller failed to find.
    private static func name<Visitor: FieldVisitor & ~Copyable>(
        _ field: StaticString,
        _ name: inout String?,
        _ visitor: inout Visitor
    ) throws(Visitor.Fault) {
        var value = name.map { Nullable.value($0) } ?? .absent
        try visitor.change(field, &value, .like("a text"))
        if value == .null { try visitor.refuse("\(field) is null: give a text, or leave it out") }
        name = value.value
    }
}
