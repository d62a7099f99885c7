import Foundation
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
    /// Reads the files that the options name, as a start and a reload do, and looks whether strangers could enter a channel that they name.
    ///
    /// - Throws: where a start with them would fail.
    package func checkFiles() throws {
        _ = try self.listen.tls?.load()
        // of the other channels, the control file says who may enter
        let named = self.channels.filter(\.namesAuthentication).map { $0.settings(over: nil) }
        try Exposure(self.listen).check(named)
    }
}

extension TLSFiles {
    /// - Throws: `StartError` where the files are no certificate chain and key that fit together.
    func load() throws(StartError) -> LoadedCertificate {
        for path in [self.certificate, self.key] { try Self.checkIsFile(path) }
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

    /// Refuses what is not a file: a FIFO would keep its reader waiting for ever.
    private static func checkIsFile(_ path: String) throws(StartError) {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(
                atPath: URL(filePath: path).resolvingSymlinksInPath().path
            )
        } catch {
            throw StartError("TLS cannot be set up: \(path) cannot be read: \(error.localizedDescription)")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw StartError("TLS cannot be set up: \(path) is not a file; give the paths of PEM files")
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
