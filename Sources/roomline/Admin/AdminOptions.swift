import ArgumentParser
import Foundation
import RoomAdmin

/// Where the broker is, and in which form it is shown: what all commands take that go by the admin API.
struct AdminOptions: ParsableArguments {
    private static let tokenVariable = "ROOMLINE_TOKEN"

    @Option(help: ContextHelp.option, completion: .custom(ContextUse.names))
    var context: String?

    @Option(
        help: ArgumentHelp(
            "The data directory of a broker on this machine; the command uses its admin.sock. The environment variable is ROOMLINE_DATA. (default: the one that \"roomline serve\" uses)",
            valueName: "DIRECTORY"
        ),
        completion: .directory
    )
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The admin socket of a broker on this machine. The environment variable is ROOMLINE_ADMIN_SOCKET.",
            valueName: "PATH"
        ),
        completion: .file()
    )
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The HTTP address of a broker: https://HOST:PORT, or http://127.0.0.1:PORT on this machine. It needs an admin token.",
            valueName: "URL"
        )
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with an admin token, for --server. The environment variable ROOMLINE_TOKEN can hold the token instead.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust for https://, instead of the system's.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var trust: String?

    @Flag(help: "Write the JSON of the broker: one object, or one a line for lists.")
    var json = false

    func validate() throws {
        guard [self.data, self.socket, self.server].compactMap(\.self).count <= 1 else {
            throw ValidationError("--data, --socket and --server exclude each other.")
        }
        guard self.server == nil, self.data != nil || self.socket != nil else { return }
        guard self.tokenFile == nil else {
            throw ValidationError("--token-file goes with --server; the socket needs no token.")
        }
        guard self.trust == nil else { throw ValidationError("--trust goes with --server https://….") }
    }

    /// These options, with what the context adds that is in use, and its channel.
    func resolved(
        environment: [String: String] = ClientOptions.environment
    ) throws(CommandFailure) -> (options: AdminOptions, active: ActiveContext?) {
        let active = try ActiveContext.find(option: self.context, environment: environment)
        let isOption = self.data != nil || self.socket != nil || self.server != nil
        guard let active, !isOption, active.isOption || !AdminAddress.isNamed(in: environment) else {
            try self.checkServer(self.server)
            return (self, nil)
        }
        let context = active.context
        guard context.hasAdmin || context.server == nil else {
            throw CommandFailure(
                code: .usage,
                text:
                    "the context \(active.name) does not say where the admin API is: give --server, --socket or --data, "
                    + "or add it with \"roomline context add --admin-server\""
            )
        }
        try self.checkServer(context.adminServer)
        let hasToken = !active.isOption && environment[Self.tokenVariable] != nil
        var options = self
        (options.server, options.socket, options.data) = (context.adminServer, context.socket, context.data)
        options.tokenFile = self.tokenFile ?? (hasToken ? nil : context.adminTokenFile)
        options.trust = self.trust ?? context.trust
        return (options, active)
    }

    private func checkServer(_ server: String?) throws(CommandFailure) {
        if self.tokenFile != nil, server == nil {
            throw CommandFailure(code: .usage, text: "--token-file goes with --server; the socket needs no token")
        }
        if self.trust != nil, server?.hasPrefix("https://") != true {
            throw CommandFailure(code: .usage, text: "--trust goes with --server https://…")
        }
    }

    /// As they stand in another command for the same broker; empty where none need be said.
    var option: String {
        let options = [
            ("context", self.context), ("data", self.data), ("socket", self.socket), ("server", self.server),
            ("token-file", self.tokenFile), ("trust", self.trust),
        ]
        return options.compactMap { name, value in value.map { " --\(name) \($0.shellQuoted)" } }.joined()
    }

    func address() throws(CommandFailure) -> AdminAddress {
        try AdminAddress(
            socket: self.socket,
            data: self.data,
            server: self.server,
            environment: ClientOptions.environment
        )
    }

    /// The token to show at `address`; `nil` where none was given, or none is wanted.
    func token(for address: AdminAddress) throws(CommandFailure) -> String? {
        guard case .server = address else { return nil }
        return try SecretText.read(file: self.tokenFile, variable: Self.tokenVariable, what: "token")
    }
}

/// The channel of a room.
struct ChannelOption: ParsableArguments {
    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("The channel. (default: that of the context, or \"default\")", valueName: "ID"),
        completion: BrokerNames.channels
    )
    var given: String?

    var channel: String { self.given ?? ActiveContext.channel ?? "default" }

    /// As it stands in a command for the same channel; empty where none need be said.
    var option: String { Self.option(self.channel) }

    /// The same of any channel.
    static func option(_ channel: String) -> String {
        channel == "default" ? "" : " --channel \(channel.shellQuoted)"
    }
}

/// A room, and the channel that it is in.
struct RoomOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var name: String

    @OptionGroup
    var channel: ChannelOption
}
