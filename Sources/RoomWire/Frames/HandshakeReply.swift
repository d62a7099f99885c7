/// The answer to a handshake: the identity and the session of the client.
package struct HandshakeReply: DescribedObject, Equatable, Sendable {
    package private(set) var clientID: String
    /// The broker accepts only `authenticate` next.
    package private(set) var requiresAuthentication: Bool
    /// One later handshake can resume the session with it.
    package private(set) var resumeToken: String?
    /// Whether the broker resumed the session that `resume` named; `nil` if the handshake had no `resume`.
    package private(set) var resumed: Bool?

    package init(
        clientID: String,
        resumeToken: String? = nil,
        resumed: Bool? = nil,
        requiresAuthentication: Bool = false
    ) {
        (self.clientID, self.requiresAuthentication) = (clientID, requiresAuthentication)
        (self.resumeToken, self.resumed) = (resumeToken, resumed)
    }

    package init(placeholder: ()) { self.init(clientID: "") }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("client_id", &self.clientID)
        try visitor.field("require_auth", &self.requiresAuthentication, or: false)
        try visitor.field("resume_token", &self.resumeToken)
        try visitor.field("resumed", &self.resumed)
    }
}
