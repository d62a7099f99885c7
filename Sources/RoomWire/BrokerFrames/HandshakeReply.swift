/// Who the client is now.
package struct HandshakeReply: Equatable, Sendable {
    package let clientID: String
    /// For the resume of one later handshake.
    package let resumeToken: String?
    /// Whether this is the session that `resume` named; `nil` where it named none.
    package let resumed: Bool?
    /// Nothing but `authenticate` is taken next.
    package let requiresAuthentication: Bool

    package init(
        clientID: String,
        resumeToken: String? = nil,
        resumed: Bool? = nil,
        requiresAuthentication: Bool = false
    ) {
        self.clientID = clientID
        self.resumeToken = resumeToken
        self.resumed = resumed
        self.requiresAuthentication = requiresAuthentication
    }
}
