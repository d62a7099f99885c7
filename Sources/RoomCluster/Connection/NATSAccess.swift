/// Where the servers are, and who the node is to them.
struct NATSAccess: Equatable, Sendable {
    /// URLs as `nats://host:4222` or `tls://host:4222`; the first one is preferred.
    var servers: [String]
    /// What the servers' own tools call the connection.
    package var name: String = "roomline"
    var tls: NATSCertificates?
    var credentials: NATSCredentials?

    /// Whether the connection is encrypted.
    var isEncrypted: Bool { self.tls != nil || self.servers.contains { $0.hasPrefix("tls://") } }
}

/// PEM files.
struct NATSCertificates: Equatable, Sendable {
    /// The authorities that may have signed a server's certificate; `nil`: those that the system trusts.
    var authorities: String?
    /// The node's own certificate, with those between it and its authority behind it, and its key.
    var identity: Identity?

    struct Identity: Equatable, Sendable {
        var certificate: String
        var key: String
    }
}

/// How the node proves who it is. Secrets are in files, so that no list of processes shows them.
enum NATSCredentials: Equatable, Sendable {
    /// The password is the only line of the file.
    case password(user: String, file: String)
    /// A file with a JWT and its seed, as `nsc` writes it.
    case credentials(file: String)
    /// A public key, and a file with its seed, as `nk` makes them.
    case key(publicKey: String, seedFile: String)
}
