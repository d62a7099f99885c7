/// Which broker a command means, and how it may use it: what `roomline context add` keeps under a name. It has no secrets, only
/// the paths of files with them.
struct Context: Codable, Equatable, Sendable {
    /// The URL for `chat`, `publish`, `tail` and `bench`.
    var server: String?
    /// The URL of the admin API; or the socket; or the data directory that has the socket.
    var adminServer: String?
    var socket: String?
    var data: String?
    var channel: String?
    var tokenFile: String?
    var adminTokenFile: String?
    var trust: String?

    private enum CodingKeys: String, CodingKey {
        case server, socket, data, channel, trust
        case adminServer = "admin_server"
        case tokenFile = "token_file"
        case adminTokenFile = "admin_token_file"
    }

    /// Whether it says where the admin API is.
    var hasAdmin: Bool { self.adminServer != nil || self.socket != nil || self.data != nil }
}

/// A context that a command uses.
struct ActiveContext: Equatable, Sendable {
    /// The one that the running command uses.
    @TaskLocal static var current: ActiveContext?

    /// Its channel, for the options that name a channel.
    static var channel: String? { self.current?.context.channel }

    static let variable = "ROOMLINE_CONTEXT"

    let name: String
    let context: Context
    /// It was named by `--context`, so it counts more than the environment.
    let isOption: Bool

    /// - Parameter option: the value of `--context`.
    /// - Returns: `nil` where no context is in use.
    static func find(
        option: String?,
        environment: [String: String]
    ) throws(CommandFailure) -> ActiveContext? {
        let variable = environment[Self.variable]
        guard let store = ContextStore(environment: environment) else {
            guard let name = option ?? variable else { return nil }
            throw CommandFailure(code: .usage, text: "there is no context \(name): \(ContextStore.noDirectory)")
        }
        let file = try store.load()
        guard let name = option ?? variable ?? file.current else { return nil }
        return ActiveContext(name: name, context: try file.context(name), isOption: option != nil)
    }
}
