package import RoomModel

/// Facts that a route knows of its request beside the request itself.
package struct HTTPRequestContext: Sendable {
    let peer: HTTPPeer
    /// Turned on once the broker drains: what streams its answer has to end it then.
    let drain: DrainSignal
    let work: RequestWork
    /// The parameters of the path, as they were sent.
    var parameters: [String: Substring] = [:]
}

/// The other end of an HTTP connection, and how it came in.
package struct HTTPPeer: Equatable, Sendable {
    package enum Transport: Equatable, Sendable {
        /// The Unix socket; the kernel vouches for the user.
        case unix(uid: UInt32)
        case tcp
        case tls
    }

    package var transport: Transport
    /// The address, that of the client itself where a trusted proxy names it; `nil` on a Unix socket.
    package var address: IPAddress?
    /// The connection comes from this machine, and no proxy speaks for somebody else.
    package var isLocal: Bool

    /// Nobody on the way can read the peer's words: the connection stays on this machine or is encrypted.
    package var isConfidential: Bool { self.isLocal || self.transport == .tls }

    /// For the audit log: `unix`, or the address.
    package var origin: String {
        if case .unix = self.transport { return "unix" }
        return self.address?.description ?? "unknown"
    }
}
