package import NIOCore
public import RoomClient

/// An entry of the audit log: `AuditEntry` in `Schemas/admin.openapi.yaml`.
public struct AdminAuditEntry: Equatable, Sendable {
    /// The time of the change.
    public let time: AdminTime
    /// Its author: `uid:0`, `token:ops`, `member:17`, `start`.
    public let actor: String
    /// Where the author was: `unix` or an address.
    public let origin: String
    /// What was done, such as `channel.create`.
    public let action: String
    /// The channel, room or token.
    public let target: String
    /// The requested change; never a secret.
    public let details: JSON?
}

extension AdminAuditEntry: AdminDocument {
    package init(json: ByteBuffer) throws(AdminError) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.time = fields.time
        self.actor = fields.actor
        self.origin = fields.origin
        self.action = fields.action
        self.target = fields.target
        self.details = .field("details", of: json)
    }

    private struct Fields: Decodable {
        let time: AdminTime
        let actor: String
        let origin: String
        let action: String
        let target: String
    }
}

/// An admin token: `Token` in `Schemas/admin.openapi.yaml`.
public struct AdminToken: AdminDocument, Decodable, Equatable, Sendable {
    /// What a token allows. Each scope includes those before it. Newer brokers may have others.
    public struct Scope: RawRepresentable, Hashable, Sendable, Decodable {
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
    public let name: String
    /// What its bearer may do.
    public let scopes: [Scope]
    /// The time at which it was made.
    public let createdAt: AdminTime
    /// The time of its end; `nil`: never.
    public let expiresAt: AdminTime?
    /// The token itself: only in the answer to its creation.
    public let token: String?
}

/// All admin tokens of a broker.
public struct AdminTokenList: AdminDocument, Decodable, Equatable, Sendable {
    /// The tokens, by name.
    public let tokens: [AdminToken]
}

/// A link that signs in to the console: `ConsoleLink` in `Schemas/admin.openapi.yaml`.
public struct AdminConsoleLink: AdminDocument, Decodable, Equatable, Sendable {
    /// The link.
    public let url: String
    /// The time until which it works.
    public let expiresAt: AdminTime
}

/// A backup that a broker has made, ready to be fetched: `Backup` in `Schemas/admin.openapi.yaml`.
public struct AdminBackup: AdminDocument, Decodable, Equatable, Sendable {
    /// A file of a backup.
    public struct File: Decodable, Equatable, Sendable {
        /// Its name. A server that is no broker could send any: check it before it becomes the name of a file.
        public let name: String
        /// Its length.
        public let bytes: Int64
        /// Its checksum, in 64 hexadecimal digits.
        public let sha256: String

        package init(name: String, bytes: Int64, sha256: String) {
            self.name = name
            self.bytes = bytes
            self.sha256 = sha256
        }
    }

    /// Its id.
    public let id: String
    /// The moment that it shows.
    public let created: AdminTime
    /// Its files.
    public let files: [File]

    package init(id: String, created: AdminTime, files: [File]) {
        self.id = id
        self.created = created
        self.files = files
    }
}
