/// The cluster of which the broker is a node.
package struct ClusterSettings: Equatable, Sendable {
    /// The URLs of its nats-servers; `nil`: the broker runs alone.
    package var servers: [String]?
    package var streams = StreamSettings()
    /// A PEM file with the authorities that have signed the servers' certificates.
    package var authorities: String?
    /// PEM files with the node's own certificate, and with its key.
    package var certificate: String?
    package var key: String?
    /// A file with a JWT and its seed.
    package var credentials: String?
    package var user: String?
    package var passwordFile: String?
    package var nkey: String?
    package var nkeySeedFile: String?
    /// The URLs of the servers' monitoring, which tells how they sync; `nil`: nobody has named them.
    package var monitoring: [String]?

    package init() {}

    var serverMonitoring: ServerMonitoring { ServerMonitoring(addresses: self.monitoring ?? []) }

    /// `nil` where the broker runs alone.
    var access: NATSAccess? {
        guard let servers else { return nil }
        var access = NATSAccess(servers: servers)
        let identity = self.certificate.flatMap { certificate in
            self.key.map { NATSCertificates.Identity(certificate: certificate, key: $0) }
        }
        if self.authorities != nil || identity != nil {
            access.tls = NATSCertificates(authorities: self.authorities, identity: identity)
        }
        if let credentials { access.credentials = .credentials(file: credentials) }
        if let user, let passwordFile { access.credentials = .password(user: user, file: passwordFile) }
        if let nkey, let nkeySeedFile { access.credentials = .key(publicKey: nkey, seedFile: nkeySeedFile) }
        return access
    }
}
