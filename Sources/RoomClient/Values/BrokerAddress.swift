import Foundation

/// The address of a broker, from a URL.
package struct BrokerAddress: Hashable, Sendable {
    package let host: String
    package let port: Int
    package let usesTLS: Bool
    /// The path, and the query if there is one, of a WebSocket; `nil`: JSON lines over TCP.
    package let webSocketPath: String?

    /// The default port of a broker; a WebSocket has those of the web.
    static let defaultPort = 10_000
    /// Where brokers, and Scaledrone, have their WebSocket.
    static let defaultPath = "/v3/websocket"

    /// Parses `tcp://host:port`, `tls://host:port`, `ws://host:port/path` or `wss://host:port/path`; the port and the path
    /// are optional.
    package init(_ text: String) throws(RoomClientError) {
        guard let url = URLComponents(string: text),
            let scheme = url.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) })
        else { throw Self.invalid(text) }
        let host = (url.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let port = url.port ?? scheme.defaultPort
        guard !host.isEmpty, !host.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7f }),
            (1...65_535).contains(port), url.user == nil, url.fragment == nil
        else { throw Self.invalid(text) }
        let path = url.percentEncodedPath == "/" ? "" : url.percentEncodedPath
        guard scheme.isWebSocket || path.isEmpty && url.query == nil else { throw Self.invalid(text) }
        self.host = host
        self.port = port
        self.usesTLS = scheme.usesTLS
        let query = url.percentEncodedQuery.map { "?\($0)" } ?? ""
        self.webSocketPath = scheme.isWebSocket ? (path.isEmpty ? Self.defaultPath : path) + query : nil
    }

    private enum Scheme: String {
        case tcp, tls, ws, wss

        var usesTLS: Bool { self == .tls || self == .wss }
        var isWebSocket: Bool { self == .ws || self == .wss }
        var defaultPort: Int {
            switch self {
            case .tcp, .tls: BrokerAddress.defaultPort
            case .ws: 80
            case .wss: 443
            }
        }
    }

    /// The value of the field `Host` (RFC 9110 §7.2): the default port of the web is left out, and so is the zone of an
    /// address.
    var authority: String {
        let name = self.host.contains(":") ? "[\(self.host.prefix { $0 != "%" })]" : self.host
        return self.port == (self.usesTLS ? 443 : 80) ? name : "\(name):\(self.port)"
    }

    private static func invalid(_ text: String) -> RoomClientError {
        RoomClientError(
            .invalidURL,
            "\(text.debugDescription) is not the URL of a broker: it must be like tcp://localhost:10000, tls://rooms.example:10000, ws://localhost:10001 or wss://rooms.example"
        )
    }
}
