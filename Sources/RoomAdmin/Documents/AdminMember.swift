package import NIOCore
public import RoomClient

/// A member of a room: `Member` in `Schemas/admin.openapi.yaml`.
public struct AdminMember: Equatable, Sendable {
    /// The connection of a member.
    public struct Connection: Decodable, Equatable, Sendable {
        /// The address of the client; `nil` where it is not known.
        public let address: String?
        /// What it speaks, such as `json`.
        public let wireFormat: String
        /// The time since when.
        public let connectedAt: AdminTime
        /// How many messages it is behind.
        public let lag: Int
        /// The bytes of replies that wait for it.
        public let queuedBytes: Int
    }

    /// The id of its session; each new session has another one.
    public let id: String
    /// The user that its token names; `nil` where no token names one.
    public let user: String?
    /// It may not publish in this room.
    public let isMuted: Bool
    /// What the client says of itself; `nil` where it says nothing.
    public let clientData: JSON?
    /// The data of its token; `nil` where it has none.
    public let authData: JSON?
    /// `nil`: it is lost and can still come back.
    public let connection: Connection?
}

extension AdminMember: AdminDocument {
    package init(json: ByteBuffer) throws(AdminError) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.id = fields.id
        self.user = fields.user
        self.isMuted = fields.muted ?? false
        self.clientData = .field("client_data", of: json)
        self.authData = .field("auth_data", of: json)
        self.connection = fields.connection
    }

    private struct Fields: Decodable {
        let id: String
        let user: String?
        let muted: Bool?
        let connection: Connection?
    }
}

/// The author of a message: `Author` in `Schemas/admin.openapi.yaml`.
public struct AdminAuthor: AdminDocument, Decodable, Equatable, Sendable {
    /// The user that its token named; `nil` where no token named one.
    public let user: String?
    /// The id of its session; `nil` where the message came over HTTP with a token.
    public let clientId: String?
}

/// A ban or a mute: `Sanction` in `Schemas/admin.openapi.yaml`.
public struct AdminSanction: AdminDocument, Decodable, Equatable, Sendable {
    /// What is forbidden.
    public enum Kind: String, Decodable, Sendable {
        /// To be there.
        case ban
        /// To publish.
        case mute
    }

    /// What is forbidden.
    public let kind: Kind
    /// Where; `nil`: in the whole channel.
    public let room: String?
    /// The user that it is for. One of the three subjects is there.
    public let user: String?
    /// The client id that it is for.
    public let clientId: String?
    /// The address or the network that it is for.
    public let address: String?
    /// What the member is told.
    public let reason: String?
    /// Who has imposed it, as the actor in the audit log: `uid:0`, `token:ops`, `member:17`.
    public let author: String
    /// The time of its beginning.
    public let created: AdminTime
    /// The time of its end; `nil`: when it is lifted.
    public let expires: AdminTime?
    /// The messages that the first request has redacted, where they go with a ban; see
    /// ``AdminClient/redactMessages(of:in:room:reason:isDryRun:after:onStep:)``.
    public let redacted: RedactedMessages?

    /// Whom it is for.
    public var subject: AdminSubject {
        if let user { return .user(user) }
        if let clientId { return .client(clientId) }
        return .address(self.address ?? "")
    }
}
