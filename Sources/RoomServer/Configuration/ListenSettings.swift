package import RoomHTTP
package import RoomModel

/// Where the broker listens, and to whom.
package struct ListenSettings: Equatable, Sendable {
    /// JSON lines and plain text.
    package var tcp = ListenAddress(host: "127.0.0.1", port: 10_000)
    /// REST, health, metrics and the admin side; `nil`: off.
    package var http: ListenAddress? = ListenAddress(host: "127.0.0.1", port: 10_001)
    /// Names by which HTTP on loopback may be called, beside `localhost` and the like.
    package var httpHosts: [String] = []
    /// Where the admin side needs no token.
    package var adminSocket = AdminSocket.inDataDirectory
    package var metrics = MetricsAccess.local
    package var pages = PageSetting.auto
    /// Paths of PEM files; both or none are set in a loaded configuration.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// Whether an address that others can reach may serve channels that ask for no token.
    package var allowsOpenChannels = false
    package var proxyProtocol = ProxyProtocol.off
    /// `nil`: nobody is believed to speak for others.
    package var trustedProxies: [AddressRange]?
    /// How many connections the kernel may hold that are not accepted yet.
    package var tcpBacklog = 4_096
    /// How long sent bytes may stay unacknowledged before the kernel gives a connection up (TCP_USER_TIMEOUT).
    package var tcpUserTimeout = Duration.seconds(30)

    package init() {}

    /// Whether the chat page and the console are served.
    var servesPages: Bool {
        switch self.pages {
        case .on: self.http != nil
        case .off: false
        case .auto: self.http != nil && self.isOnThisMachineOnly
        }
    }

    /// Whether HTTP is for this machine alone, and for no proxy on it that passes on what others ask.
    var isOnThisMachineOnly: Bool {
        self.http?.isLoopback ?? true && self.trustedProxies == nil && self.httpHosts.isEmpty
    }

    /// `nil`: TLS is off.
    var tls: TLSFiles? {
        guard let certificate = self.tlsCertificate, let key = self.tlsKey else { return nil }
        return TLSFiles(certificate: certificate, key: key)
    }
}

/// Whether there are web pages.
package enum PageSetting: String, CaseIterable, Sendable {
    /// Only where nobody but this machine reaches them.
    case auto
    case on
    case off
}

/// The paths of a certificate chain and its private key, in PEM.
struct TLSFiles: Equatable, Sendable {
    let certificate: String
    let key: String
}

/// Where the Unix socket of the admin side is.
package enum AdminSocket: Equatable, Sendable {
    /// `admin.sock` beside the broker's files; none for a broker that keeps nothing.
    case inDataDirectory
    case path(String)
    case off

    /// The file; `nil`: there is none.
    package func path(with storage: StorageLocation) -> String? {
        switch (self, storage) {
        case (.path(let path), _): path
        case (.inDataDirectory, .directory(let directory)): directory + "/admin.sock"
        case (.inDataDirectory, .memory), (.off, _): nil
        }
    }
}

/// Whether connections to the TCP port begin with a PROXY header. There is no "if there is one": anybody could forge it.
package enum ProxyProtocol: String, CaseIterable, Sendable {
    case off
    case required
}
