import Foundation
import RoomModel

/// Where the admin API of a broker is answered.
public enum AdminAddress: Equatable, Sendable {
    /// The path of the broker's Unix socket: `admin.sock` in its data directory. No token is needed.
    case socket(String)
    /// The broker's HTTP listener; an admin token is needed.
    case server(Server)

    /// An address such as `https://chat.example` or `http://127.0.0.1:10001`.
    ///
    /// - Throws: ``AdminError/Code/invalidAddress`` for anything else, and for `http` to another machine, because a token would
    ///   be sent there unencrypted.
    public init(url: String) throws(AdminError) {
        guard let server = Server(url) else {
            throw AdminError(
                .invalidAddress,
                "\(url) is not an address of a broker: give https://HOST:PORT, or http://127.0.0.1:PORT on this machine"
            )
        }
        guard server.isEncrypted || server.isThisMachine else {
            throw AdminError(
                .invalidAddress,
                "\(url) would send your token unencrypted: give https://, or open a tunnel with \"ssh -L\" and give "
                    + "http://127.0.0.1:PORT"
            )
        }
        self = .server(server)
    }

    /// The URL of an HTTP listener, taken apart.
    public struct Server: Equatable, Sendable {
        /// As it was given, without a slash at its end.
        public let url: String
        /// An IPv6 address without its brackets.
        public let host: String
        /// The port; 443 or 80 if the URL has none.
        public let port: Int
        /// Whether it is `https`.
        public let isEncrypted: Bool

        package init?(_ text: String) {
            guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty,
                url.scheme == "http" || url.scheme == "https", url.path.isEmpty || url.path == "/",
                url.query == nil, url.user == nil
            else { return nil }
            self.url = text.hasSuffix("/") ? String(text.dropLast()) : text
            self.host = host.trimmingCharacters(in: ["[", "]"])
            self.isEncrypted = url.scheme == "https"
            self.port = url.port ?? (self.isEncrypted ? 443 : 80)
        }

        /// Host and port as a request names them.
        package var authority: String {
            self.url.split(separator: "://", maxSplits: 1).last.map(String.init) ?? self.host
        }
        var isThisMachine: Bool { self.host == "localhost" || IPAddress(self.host)?.isLoopback == true }
    }
}

extension AdminAddress: CustomStringConvertible {
    /// The path of the socket, or the URL.
    public var description: String {
        switch self {
        case .socket(let path): path
        case .server(let server): server.url
        }
    }
}
