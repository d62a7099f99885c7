import NIOCore
import NIOSSL
import RoomCore
import RoomHTTP
import RoomModel
import RoomTransport

extension TCPListener.Options {
    /// - Parameters:
    ///   - tls: `nil`: TLS is off.
    ///   - refusals: told of connections without a PROXY header, where one is required.
    init(_ listen: ListenSettings, tls: TLSCertificate?, refusals: ProxyRefusals) {
        self.init()
        self.backlog = listen.tcpBacklog
        self.userTimeout = TimeAmount(listen.tcpUserTimeout)
        if let tls { self.tls = { tls.current } }
        if listen.proxyProtocol == .required {
            self.proxy = ProxyRule(trusted: listen.trustedProxies ?? [], refusals: refusals)
        }
    }
}

extension ServerConfiguration {
    /// Reads the files that the options name, as a start and a reload do.
    ///
    /// - Throws: where a start with them would fail.
    package func checkFiles() throws {
        _ = try self.listen.tls?.load()
    }
}

extension TLSFiles {
    /// - Throws: `StartError` where the files are no certificate chain and key that fit together.
    func load() throws(StartError) -> LoadedCertificate {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(self.certificate)
            guard let term = CertificateTerm(chain) else { throw NIOSSLError.failedToLoadCertificate }
            let key = try NIOSSLPrivateKey(file: self.key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            // a connection that is closed has had its time to end in order
            configuration.shutdownTimeout = .seconds(1)
            return LoadedCertificate(
                context: try NIOSSLContext(configuration: configuration),
                term: term,
                chain: chain,
                key: key
            )
        } catch {
            throw StartError(
                "TLS cannot be set up from \(self.certificate) and \(self.key): \(TLSReason.text(error)); give a PEM "
                    + "certificate chain and its PEM private key"
            )
        }
    }
}

extension HTTPListener.Options {
    /// - Parameter tls: `nil`: TLS is off.
    init(_ configuration: ServerConfiguration, tls: TLSCertificate?) {
        self.init()
        self.backlog = configuration.listen.tcpBacklog
        self.limits.body = max(self.limits.body, configuration.limits.frame.message + 16 * 1024)
        self.limits.headerTime = TimeAmount(configuration.timeouts.httpHeader)
        self.limits.idleTime = TimeAmount(configuration.timeouts.httpIdle)
        self.userTimeout = TimeAmount(configuration.listen.tcpUserTimeout)
        if let tls { self.tls = { tls.current } }
        self.tlsFault = TLSReason.fault
    }
}

extension ListenAddress {
    init?(bound address: SocketAddress?) {
        guard let host = address?.ipAddress, let port = address?.port else { return nil }
        self.init(host: host, port: port)
    }
}
