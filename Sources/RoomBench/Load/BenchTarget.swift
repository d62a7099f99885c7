package import RoomClient

/// Which broker is measured, and as whom.
package struct BenchTarget: Sendable {
    let address: BrokerAddress
    let channel: String
    let token: String?
    /// A PEM file; `nil`: the system's certificates.
    let trustedCertificates: String?
    package let transport: Transport

    /// - Throws: ``RoomClientError/Code/invalidURL``.
    package init(
        url: String,
        channel: String,
        token: String?,
        trustedCertificates: String?
    ) throws(RoomClientError) {
        self.address = try BrokerAddress(url)
        self.channel = channel
        self.token = token
        self.trustedCertificates = trustedCertificates
        switch (self.address.webSocketPath != nil, self.address.usesTLS) {
        case (false, false): self.transport = .tcp
        case (false, true): self.transport = .tls
        case (true, false): self.transport = .ws
        case (true, true): self.transport = .wss
        }
    }
}

/// How the frames travel.
package enum Transport: String, Codable, Sendable, CustomStringConvertible {
    case tcp, tls, ws, wss

    package var description: String { self.rawValue }
}
