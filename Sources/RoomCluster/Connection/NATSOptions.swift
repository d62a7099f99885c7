#if Cluster
import CNats
import Foundation

/// The options of a connection as the library has them.
final class NATSOptions {
    let options: OpaquePointer

    /// - Parameter once: for a question at start: the connection ends with its server.
    init(_ access: NATSAccess, once: Bool = false) throws(ClusterFailure) {
        guard !access.servers.isEmpty else {
            throw ClusterFailure(.settings, "no server is named: give at least one, as nats://host:4222")
        }
        var options: OpaquePointer?
        try Self.check(natsOptions_Create(&options))
        guard let options else { throw ClusterFailure(.settings, "libnats has no memory left") }
        self.options = options
        try self.setServers(access.servers)
        try self.setPace(once: once)
        try Self.check(natsOptions_SetName(options, access.name))
        if access.isEncrypted { try self.setTLS(access.tls) }
        if let credentials = access.credentials { try self.setCredentials(credentials) }
    }

    deinit { natsOptions_Destroy(self.options) }

    private func setServers(_ servers: [String]) throws(ClusterFailure) {
        let copies = servers.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var urls = copies.map { UnsafePointer($0) }
        guard natsOptions_SetServers(self.options, &urls, Int32(urls.count)) == NATS_OK else {
            let text = "the servers \(servers.joined(separator: ", ")) are no addresses: give nats://host:port"
            throw ClusterFailure(.settings, text)
        }
        // In the order of the settings, and only those that an operator has named.
        try Self.check(natsOptions_SetNoRandomize(self.options, true))
        try Self.check(natsOptions_SetIgnoreDiscoveredServers(self.options, true))
    }

    private func setPace(once: Bool) throws(ClusterFailure) {
        try Self.check(natsOptions_SetTimeout(self.options, 2_000))
        // A record is a turn's work already: the library's own gathering would add a millisecond to each.
        try Self.check(natsOptions_SetSendAsap(self.options, true))
        // The deliveries of a subscription come in the order in which they came to the connection.
        try Self.check(natsOptions_UseGlobalMessageDelivery(self.options, true))
        // A server that is paused keeps its sockets open: after two pings without an answer another one is asked, and
        // nobody waits longer to write.
        try Self.check(natsOptions_SetPingInterval(self.options, 500))
        try Self.check(natsOptions_SetMaxPingsOut(self.options, 2))
        try Self.check(natsOptions_SetWriteDeadline(self.options, 1_000))
        try Self.check(natsOptions_SetAllowReconnect(self.options, !once))
        try Self.check(natsOptions_SetMaxReconnect(self.options, -1))
        try Self.check(natsOptions_SetReconnectWait(self.options, 50))
        try Self.check(natsOptions_SetReconnectJitter(self.options, 10, 10))
    }

    private func setTLS(_ files: NATSCertificates?) throws(ClusterFailure) {
        try Self.check(natsOptions_SetSecure(self.options, true))
        if let authorities = files?.authorities {
            guard natsOptions_LoadCATrustedCertificates(self.options, authorities) == NATS_OK else {
                let text = "the authorities in \(authorities) cannot be used: give a PEM file with certificates"
                throw ClusterFailure(.tls, "\(text) (\(Self.lastError))")
            }
        }
        if let identity = files?.identity {
            guard natsOptions_LoadCertificatesChain(self.options, identity.certificate, identity.key) == NATS_OK else {
                let pair = "the certificate in \(identity.certificate) cannot be used with the key in \(identity.key)"
                throw ClusterFailure(.tls, "\(pair): give two PEM files that belong together (\(Self.lastError))")
            }
        }
    }

    private func setCredentials(_ credentials: NATSCredentials) throws(ClusterFailure) {
        switch credentials {
        case .password(let user, let file):
            try Self.check(natsOptions_SetUserInfo(self.options, user, try Self.line(of: file)))
        case .credentials(let file):
            try Self.requireFile(file)
            try Self.check(natsOptions_SetUserCredentialsFromFiles(self.options, file, nil))
        case .key(let publicKey, let seedFile):
            try Self.requireFile(seedFile)
            try Self.check(natsOptions_SetNKeyFromSeed(self.options, publicKey, seedFile))
        }
    }

    /// The only line of a file.
    private static func line(of file: String) throws(ClusterFailure) -> String {
        try Self.requireFile(file)
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 1 else {
            throw ClusterFailure(
                .settings,
                "\(file) has \(lines.count) lines: it must have the password as its only one"
            )
        }
        return String(lines[0])
    }

    private static func requireFile(_ file: String) throws(ClusterFailure) {
        guard access(file, R_OK) == 0 else {
            throw ClusterFailure(.settings, "\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    static func check(_ status: natsStatus) throws(ClusterFailure) {
        guard status == NATS_OK else { throw ClusterFailure(.settings, "\(Self.text(of: status)): \(Self.lastError)") }
    }

    static func text(of status: natsStatus) -> String { String(cString: natsStatus_GetText(status)) }

    /// What the library says of the last failure on this thread.
    static var lastError: String {
        var status = NATS_OK
        return nats_GetLastError(&status).map { String(cString: $0) } ?? "no further word"
    }
}
#endif
