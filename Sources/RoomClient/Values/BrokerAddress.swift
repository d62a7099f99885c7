import Foundation

/// The address of a broker, from a URL.
struct BrokerAddress: Hashable, Sendable {
    let host: String
    let port: Int
    let usesTLS: Bool

    /// The default port of a broker.
    static let defaultPort = 10_000

    /// Parses `tcp://host:port` or `tls://host:port`; the port is optional.
    init(_ text: String) throws(RoomClientError) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased() else {
            throw Self.invalid(text)
        }
        switch scheme {
        case "tcp": self.usesTLS = false
        case "tls": self.usesTLS = true
        default: throw Self.invalid(text)
        }
        let host = (url.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let port = url.port ?? Self.defaultPort
        guard !host.isEmpty, (1...65_535).contains(port), url.path.isEmpty || url.path == "/", url.query == nil,
            url.user == nil, url.fragment == nil
        else { throw Self.invalid(text) }
        self.host = host
        self.port = port
    }

    private static func invalid(_ text: String) -> RoomClientError {
        RoomClientError(
            .invalidURL,
            "\(text.debugDescription) is not the URL of a broker: it must be like tcp://localhost:10000 or tls://rooms.example:10000"
        )
    }
}
