import ArgumentParser
import Foundation
import RoomAdmin
import RoomJSON
import RoomServer

/// `roomline context …`
struct ContextCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Keep the addresses of brokers under names.",
        discussion: """
            A context has what the other commands need to reach a broker: its URLs, the files with the tokens, the certificates to \
            trust and a channel. A command uses the context of --context, or else the one of the environment variable \
            ROOMLINE_CONTEXT, or else the one of "context use".

            \(ContextHelp.precedence)

            \(AdminHelp.group(
                "context add prod --server tls://chat.example:10000 --admin-server https://chat.example:10001 --channel shop",
                "context use prod", "stats --context prod", "context list", "context remove prod"))
            """,
        subcommands: [ContextAdd.self, ContextUse.self, ContextList.self, ContextRemove.self]
    )
}

/// Sentences about contexts that several helps share.
enum ContextHelp {
    static let precedence = """
        An option overrides the environment, the environment overrides the context, and the context overrides the default. A \
        context that --context names counts as an option. If an option or the environment names another broker, the command uses \
        nothing of the context: a token is never sent to a broker that it is not for.
        """

    static let option = ArgumentHelp(
        "Use the broker, the token file, the certificates and the channel of this context. The environment variable is ROOMLINE_CONTEXT. (default: the one of \"context use\")",
        valueName: "NAME"
    )
}

/// `roomline context add`
struct ContextAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a context.",
        discussion: AdminHelp.text(
            """
            The contexts are in $XDG_CONFIG_HOME/roomline/contexts.json, or ~/.config/roomline/contexts.json, which only you can \
            read. The file has the paths of token files, and no tokens.
            """,
            (
                "context add prod --server tls://chat.example:10000 --admin-server https://chat.example:10001 "
                    + "--admin-token-file ops.token --trust chat.pem --use",
                "A broker elsewhere; the commands use it from now on."
            ),
            ("context add test --data /srv/roomline-test --channel shop", "A broker on this machine.")
        )
    )

    @Argument(help: ArgumentHelp("A name: letters, digits, -, _ and dots.", valueName: "NAME"))
    var name: String

    @Option(
        help: ArgumentHelp(
            "The URL for chat, publish, tail and bench: tcp://, tls://, ws:// or wss://. Of a cluster, several, with commas between.",
            valueName: "URL[,URL…]"
        )
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The URL of the admin API: https://HOST:PORT, or http://127.0.0.1:PORT on this machine.",
            valueName: "URL"
        )
    )
    var adminServer: String?

    @Option(help: ArgumentHelp("The admin socket of a broker on this machine.", valueName: "PATH"))
    var socket: String?

    @Option(help: ArgumentHelp("The data directory of a broker on this machine.", valueName: "DIRECTORY"))
    var data: String?

    @Option(help: ArgumentHelp("The channel that commands use if no --channel names one.", valueName: "ID"))
    var channel: String?

    @Option(help: ArgumentHelp("A file with an access token, for --server.", valueName: "FILE"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("A file with an admin token, for --admin-server.", valueName: "FILE"))
    var adminTokenFile: String?

    @Option(
        help: ArgumentHelp("A PEM file with the certificates to trust, instead of the system's.", valueName: "FILE")
    )
    var trust: String?

    @Flag(help: "Use this context from now on.")
    var use = false

    @Flag(help: "Replace the context of this name, if there is one.")
    var replace = false

    @Flag(help: "Write the context as a JSON object.")
    var json = false

    func validate() throws {
        guard ContextFile.isName(self.name) else {
            throw ValidationError("NAME has 1 to 64 letters, digits, -, _ and dots.")
        }
        guard [self.adminServer, self.socket, self.data].compactMap(\.self).count <= 1 else {
            throw ValidationError("--admin-server, --socket and --data exclude each other.")
        }
        guard self.adminTokenFile == nil || self.adminServer != nil else {
            throw ValidationError("--admin-token-file goes with --admin-server; the socket needs no token.")
        }
        let schemes = ["tcp://", "tls://", "ws://", "wss://"]
        if let server {
            guard let urls = ServerURLs(server), urls.all.allSatisfy({ schemes.contains(where: $0.hasPrefix) }) else {
                throw ValidationError("--server is \(server): give tcp://, tls://, ws:// or wss://.")
            }
        }
        guard self.context != Context() else {
            throw ValidationError("Say at least one thing that the context is to keep, such as --server URL.")
        }
    }

    func run() async throws {
        try await CommandFailure.reporting {
            if let adminServer {
                _ = try AdminAddress(socket: nil, data: nil, server: adminServer, environment: [:])
            }
            let store = try ContextStore.ofUser()
            var file = try store.load()
            guard self.replace || file.contexts[self.name] == nil else {
                throw CommandFailure(
                    code: .refused,
                    text: "there is a context \(self.name) already; --replace replaces it"
                )
            }
            file.contexts[self.name] = self.context
            if self.use { file.current = self.name }
            try store.save(file)
            let output = AdminOutput(isJSON: self.json)
            if self.json { return try output.write(file.row(self.name).json) }
            let use = file.current == self.name
            CommandFailure.say(
                use
                    ? "the context \(self.name) is in use"
                    : "the context \(self.name) is added; \"roomline context use \(self.name)\" uses it"
            )
        }
    }

    /// With paths that hold in every directory.
    private var context: Context {
        Context(
            server: self.server,
            adminServer: self.adminServer,
            socket: self.socket.map(Self.absolute),
            data: self.data.map(Self.absolute),
            channel: self.channel,
            tokenFile: self.tokenFile.map(Self.absolute),
            adminTokenFile: self.adminTokenFile.map(Self.absolute),
            trust: self.trust.map(Self.absolute)
        )
    }

    private static func absolute(_ path: String) -> String {
        (path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path).directoryPath
    }
}

/// `roomline context use`
struct ContextUse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Use a context from now on.",
        discussion: AdminHelp.text(
            "",
            ("context use prod", "The commands of this user mean the broker of \"prod\" from now on."),
            ("context use --none", "They mean the broker on this machine again.")
        )
    )

    @Argument(help: ArgumentHelp("The context.", valueName: "NAME"), completion: .custom(ContextUse.names))
    var name: String?

    @Flag(help: "Use no context.")
    var none = false

    func validate() throws {
        guard (self.name == nil) == self.none else { throw ValidationError("Give the name of a context, or --none.") }
    }

    func run() async throws {
        try await CommandFailure.reporting {
            let store = try ContextStore.ofUser()
            var file = try store.load()
            if let name = self.name { _ = try file.context(name) }
            file.current = self.name
            try store.save(file)
            CommandFailure.say(self.name.map { "the context \($0) is in use" } ?? "no context is in use")
        }
    }

    /// For shells.
    static func names(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        // Where the file cannot be read, there is nothing to offer.
        (try? ContextStore(environment: ClientOptions.environment)?.load().contexts.keys.sorted()) ?? []
    }
}

/// `roomline context list`
struct ContextList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the contexts.",
        discussion: AdminHelp.text(
            "A star marks the context that \"context use\" has chosen.",
            ("context list", "The contexts, by name."),
            ("context list --json | jq 'select(.current)'", "All that is kept of the one in use.")
        )
    )

    @Flag(help: "Write a JSON object for each context, one a line.")
    var json = false

    func run() async throws {
        try await CommandFailure.reporting {
            let file = try ContextStore.ofUser().load()
            let rows = file.contexts.keys.sorted().map(file.row)
            let output = AdminOutput(isJSON: self.json)
            guard self.json else { return try output.write(ContextRow.table(rows)) }
            for row in rows { try output.write(row.json) }
        }
    }
}

/// `roomline context remove`
struct ContextRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a context.",
        discussion: AdminHelp.text(
            "The files that it names stay.",
            ("context remove prod", "If it is in use, no context is in use then.")
        )
    )

    @Argument(help: ArgumentHelp("The context.", valueName: "NAME"), completion: .custom(ContextUse.names))
    var name: String

    func run() async throws {
        try await CommandFailure.reporting {
            let store = try ContextStore.ofUser()
            var file = try store.load()
            _ = try file.context(self.name)
            file.contexts[self.name] = nil
            if file.current == self.name { file.current = nil }
            try store.save(file)
            CommandFailure.say("the context \(self.name) is removed")
        }
    }
}

extension ContextStore {
    /// - Throws: where the user has no configuration directory.
    fileprivate static func ofUser() throws(CommandFailure) -> ContextStore {
        guard let store = ContextStore(environment: ClientOptions.environment) else {
            throw CommandFailure(code: .usage, text: "\(Self.noDirectory), so there is no place for contexts")
        }
        return store
    }
}
