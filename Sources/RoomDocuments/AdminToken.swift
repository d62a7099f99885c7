import RoomModel
package import RoomWire

/// An admin token: `Token` in `Schemas/admin.openapi.yaml`.
public struct AdminToken: AdminDocument, Equatable, Sendable {
    /// A right that a token gives. Each scope includes those before it. Newer brokers may have others.
    public struct Scope: RawRepresentable, Hashable, Sendable {
        /// The word in the API.
        public let rawValue: String

        /// Creates a scope from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// See everything.
        public static let read = Self(rawValue: "read")
        /// Ban, mute, kick, lock, redact, clear, prune, send notices.
        public static let moderate = Self(rawValue: "moderate")
        /// Change channels, secrets and tokens, read the audit log, import, make backups.
        public static let manage = Self(rawValue: "manage")
    }

    /// Its name, which the audit log has.
    public package(set) var name = ""
    /// The rights of its bearer.
    public package(set) var scopes: [Scope] = []
    /// The time at which it was made.
    public package(set) var createdAt = AdminTime(rawValue: "")
    /// The time of its end; `nil`: never.
    public package(set) var expiresAt: AdminTime?
    /// The token itself: only in the answer to its creation.
    public package(set) var token: String?

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name)
        try visitor.field("scopes", &self.scopes)
        try visitor.field("created_at", &self.createdAt)
        try visitor.nullable("expires_at", &self.expiresAt)
        try visitor.field("token", &self.token)
    }
}

extension AdminToken.Scope: TextValue {}

/// All admin tokens of a broker.
public struct AdminTokenList: AdminDocument, Equatable, Sendable {
    /// The tokens, by name.
    public package(set) var tokens: [AdminToken] = []

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("tokens", &self.tokens)
    }
}

/// An admin token to be made: `NewToken` in `Schemas/admin.openapi.yaml`.
package struct NewAdminToken: AdminDocument {
    package private(set) var name = ""
    package private(set) var scopes: [AdminToken.Scope] = []
    /// How long it is valid; `nil`: until it is deleted.
    package private(set) var duration: Duration?

    package init(_ name: String, scopes: [AdminToken.Scope], for duration: Duration?) {
        (self.name, self.scopes, self.duration) = (name, scopes, duration)
    }

    package init(placeholder: ()) {}

    package static let rightName = "1 to 64 characters of A-Z a-z 0-9 _ . - that begin with a letter or digit"
    package static let rightScopes = "an array of one or more of read, moderate, manage, each once"

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name, .like(Self.rightName))
        try visitor.field("scopes", &self.scopes, .like(Self.rightScopes))
        try visitor.whole(
            "expires_in_seconds",
            &self.duration,
            1...Int(ChannelBounds.longest.components.seconds)
        )
    }
}
