package import NIOCore
package import RoomModel
package import RoomWire

/// A member of a room: `Member` in `Schemas/admin.openapi.yaml`.
public struct AdminMember: AdminDocument, Equatable, Sendable {
    /// The connection of a member.
    public struct Connection: AdminDocument, Equatable, Sendable {
        /// The address of the client; `nil` where it is not known.
        public package(set) var address: String?
        /// The wire format, such as `json`.
        public package(set) var wireFormat = ""
        /// The time since when.
        public package(set) var connectedAt = AdminTime(rawValue: "")
        /// How many messages it is behind.
        public package(set) var lag = 0
        /// The bytes of replies that wait for it.
        public package(set) var queuedBytes = 0

        package init(placeholder: ()) {}

        package mutating func fields<Visitor: FieldVisitor & ~Copyable>(
            _ visitor: inout Visitor
        ) throws(Visitor.Fault) {
            try visitor.nullable("address", &self.address)
            try visitor.field("wire_format", &self.wireFormat)
            try visitor.field("connected_at", &self.connectedAt)
            try visitor.field("lag", &self.lag, .atLeast(0))
            try visitor.field("queued_bytes", &self.queuedBytes, .atLeast(0))
        }
    }

    /// The id of its session; each new session has another one.
    public package(set) var id = ""
    package var clientDataBytes: ByteBuffer?
    package var authDataBytes: ByteBuffer?
    /// The user that its token names; `nil` where no token names one.
    public package(set) var user: String?
    /// Whether the member may not publish in this room.
    public package(set) var isMuted = false
    /// `nil`: it is lost and can still come back.
    public package(set) var connection: Connection?

    package init(_ id: ClientID) { self.id = id.text }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.raw("client_data", &self.clientDataBytes)
        try visitor.raw("auth_data", &self.authDataBytes)
        try visitor.field("user", &self.user)
        try visitor.field("muted", &self.isMuted, or: false)
        try visitor.nullable("connection", &self.connection)
    }
}

/// The author of a message: `Author` in `Schemas/admin.openapi.yaml`.
public struct AdminAuthor: AdminDocument, Equatable, Sendable {
    /// The user that its token named; `nil` where no token named one.
    public package(set) var user: String?
    /// The id of its session; `nil` where the message came over HTTP with a token.
    public package(set) var clientId: String?

    package init(user: String?, clientId: String?) { (self.user, self.clientId) = (user, clientId) }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("user", &self.user)
        try visitor.field("client_id", &self.clientId)
    }
}
