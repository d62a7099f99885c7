import RoomServer

/// The settings that a broker on this machine would get at its start, for the commands that look at it without asking
/// it.
enum ServeSettings {
    /// Without the variables of the clients.
    static var environment: [String: String] {
        ClientOptions.environment.filter { !ClientOptions.variables.contains($0.key) }
    }

    /// - Parameters:
    ///   - flags: options of `roomline serve`.
    ///   - config: the option `--config`.
    static func load(flags: [String], config: String?) throws(CommandFailure) -> ServerConfiguration {
        do throws(ConfigurationError) {
            return try ConfigurationLoader.load(flags: flags, environment: self.environment, file: config).configuration
        } catch {
            throw CommandFailure(code: .usage, text: "\(error)")
        }
    }

    /// - Parameter data: the option `--data`.
    static func dataDirectory(_ data: String?, config: String?) throws(CommandFailure) -> String {
        try self.dataDirectory(of: self.load(flags: data.map { ["--data", $0] } ?? [], config: config))
    }

    static func dataDirectory(of settings: ServerConfiguration) throws(CommandFailure) -> String {
        guard case .directory(let path) = settings.storage else {
            throw CommandFailure(code: .usage, text: "the broker keeps nothing on disk; give a directory with --data")
        }
        return path
    }
}
