package import RoomCore
package import RoomModel

/// A node's way to the sessions that other nodes have.
package protocol SessionExchange: Sendable {
    /// Asks the node that gave a token for its session, which nobody else gets any more.
    ///
    /// - Parameter answered: called once, on any thread.
    func takeOver(
        _ token: String,
        in channel: ChannelID,
        of node: NodeNumber,
        _ answered: @escaping @Sendable (SessionElsewhere) -> Void
    )

    /// Has all other nodes let a client go from the whole channel.
    ///
    /// - Returns: whether it was on one of them.
    func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool

    /// Whether this node may go on with a session of a node that does not answer: once.
    ///
    /// - Parameter resumes: how often it was resumed before.
    func claim(_ client: ClientID, resumes: UInt32, of node: NodeNumber) -> Bool
}

/// What came of asking another node for a session.
package enum SessionElsewhere: Equatable, Sendable {
    case session(ResumedSession)
    /// The token is used, unknown or too late.
    case none
    /// The node does not answer, and was heard so long ago.
    case silent(for: Duration)
}
