import Foundation
import RoomModel
import RoomServer

/// Where the admin API of a broker is answered.
enum AdminAddress: Equatable, Sendable {
    /// The path of a Unix socket.
    case socket(String)
    /// `https://host:port`
    case server(String)

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

    private static func socket(in directory: String) -> String {
        (directory.hasSuffix("/") ? String(directory.dropLast()) : directory) + "/admin.sock"
    }

    private static func directory(_ environment: [String: String]) throws(CommandFailure) -> String {
        if let directory = environment["ROOMLINE_DATA"], !directory.isEmpty { return directory }
        guard case .directory(let directory)? = StorageLocation.userDirectory(environment: environment) else {
            throw CommandFailure(
                code: .usage,
                text: "neither HOME nor XDG_DATA_HOME says where the broker's files are; give --data DIRECTORY"
            )
        }
        return directory
    }

    /// A token that goes over the network has to be encrypted.
    private static func checked(_ server: String) throws(CommandFailure) -> String {
        guard let url = URLComponents(string: server), let host = url.host, !host.isEmpty,
            url.scheme == "http" || url.scheme == "https", url.path.isEmpty || url.path == "/",
            url.query == nil, url.user == nil
        else {
            throw CommandFailure(
                code: .usage,
                text: "--server is \(server): give https://HOST:PORT, or http://127.0.0.1:PORT on this machine"
            )
        }
        let name = host.trimmingCharacters(in: ["[", "]"])
        guard url.scheme == "https" || name == "localhost" || IPAddress(name)?.isLoopback == true else {
            throw CommandFailure(
                code: .usage,
                text: "\(server) would show your token to everybody on the way: give https://, or come through "
                    + "\"ssh -L\" and give http://127.0.0.1:PORT"
            )
        }
        return server.hasSuffix("/") ? String(server.dropLast()) : server
    }
}

extension AdminAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .socket(let text), .server(let text): text
        }
    }
}
