import Foundation
import RoomModel
import RoomServer

/// Where the admin API of a broker is answered.
enum AdminAddress: Equatable, Sendable {
    /// The path of a Unix socket.
    case socket(String)
    /// Its HTTP listener.
    case server(Server)

    /// `https://host:port`
    struct Server: Equatable, Sendable {
        /// As it was given, without a slash at its end.
        let url: String
        /// An IPv6 address without its brackets.
        let host: String
        let port: Int
        let isEncrypted: Bool

        init?(_ text: String) {
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
        var authority: String { self.url.split(separator: "://", maxSplits: 1).last.map(String.init) ?? self.host }
        fileprivate var isThisMachine: Bool { self.host == "localhost" || IPAddress(self.host)?.isLoopback == true }
    }

    /// - Parameters:
    ///   - socket, data, server: the options; one at most is given.
    ///   - environment: what `roomline serve` goes by, too.
    init(socket: String?, data: String?, server: String?, environment: [String: String]) throws(CommandFailure) {
        if let server {
            self = .server(try Self.checked(server))
        } else if let socket {
            self = .socket(socket)
        } else if let data {
            self = .socket(Self.socket(in: data))
        } else if let path = environment["ROOMLINE_ADMIN_SOCKET"], !path.isEmpty, path != "off" {
            self = .socket(path)
        } else {
            self = .socket(Self.socket(in: try Self.directory(environment)))
        }
    }

    /// Whether the environment says where the broker is.
    static func isNamed(in environment: [String: String]) -> Bool {
        let socket = environment["ROOMLINE_ADMIN_SOCKET"] ?? ""
        return !socket.isEmpty && socket != "off" || environment["ROOMLINE_DATA"]?.isEmpty == false
    }

    private static func socket(in directory: String) -> String {
        (directory.hasSuffix("/") ? String(directory.dropLast()) : directory) + "/admin.sock"
    }

    private static func directory(_ environment: [String: String]) throws(CommandFailure) -> String {
        if let directory = environment["ROOMLINE_DATA"], !directory.isEmpty { return directory }
        guard case .directory(let directory)? = StorageLocation.userDirectory(environment: environment) else {
            throw CommandFailure(
                code: .usage,
                text: "neither HOME nor XDG_DATA_HOME is set; give the data directory with --data DIRECTORY"
            )
        }
        return directory
    }

    /// A token that goes over the network has to be encrypted.
    private static func checked(_ text: String) throws(CommandFailure) -> Server {
        guard let server = Server(text) else {
            throw CommandFailure(
                code: .usage,
                text: "--server is \(text): give https://HOST:PORT, or http://127.0.0.1:PORT on this machine"
            )
        }
        guard server.isEncrypted || server.isThisMachine else {
            throw CommandFailure(
                code: .usage,
                text: "\(text) would send your token unencrypted: give https://, or open a tunnel with "
                    + "\"ssh -L\" and give http://127.0.0.1:PORT"
            )
        }
        return server
    }
}

extension AdminAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .socket(let path): path
        case .server(let server): server.url
        }
    }
}
