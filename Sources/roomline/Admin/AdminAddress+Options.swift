import RoomAdmin
import RoomServer

extension AdminAddress {
    /// - Parameters:
    ///   - socket, data, server: the options; one at most is given.
    ///   - environment: what `roomline serve` goes by, too.
    init(socket: String?, data: String?, server: String?, environment: [String: String]) throws(CommandFailure) {
        if let server {
            try self.init(server: server)
        } else if let socket {
            self = .socket(socket)
        } else if let data {
            self = .socket(Self.socket(in: data))
        } else if let path = environment["ROOMLINE_ADMIN_SOCKET"], path != "off" {
            self = .socket(path)
        } else {
            self = .socket(Self.socket(in: try Self.directory(environment)))
        }
    }

    /// Whether the environment says where the broker is.
    static func isNamed(in environment: [String: String]) -> Bool {
        environment["ROOMLINE_ADMIN_SOCKET"] ?? "off" != "off" || environment["ROOMLINE_DATA"] != nil
    }

    private static func socket(in directory: String) -> String {
        "\(directory)/admin.sock".directoryPath
    }

    private static func directory(_ environment: [String: String]) throws(CommandFailure) -> String {
        if let directory = environment["ROOMLINE_DATA"] { return directory }
        guard case .directory(let directory)? = StorageLocation.userDirectory(environment: environment) else {
            throw CommandFailure(
                code: .usage,
                text: "neither HOME nor XDG_DATA_HOME is set; give the data directory with --data DIRECTORY"
            )
        }
        return directory
    }

    private init(server: String) throws(CommandFailure) {
        do throws(AdminError) {
            try self.init(url: server)
        } catch {
            throw CommandFailure(code: .usage, text: "--server: \(error.message)")
        }
    }
}
