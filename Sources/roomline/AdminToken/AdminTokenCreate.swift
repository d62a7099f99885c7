import ArgumentParser
import NIOCore
import RoomWire

/// `roomline admin-token create`
struct AdminTokenCreate: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an admin token and print it.",
        discussion: AdminHelp.text(
            """
            The token is the only thing on standard output, or with --output in a file that nobody else may read; no other \
            command shows it again. A scope has those before it: read sees, moderate kicks, bans and redacts, manage changes \
            channels, secrets and tokens.
            """,
            (
                "admin-token create ops --scope manage --output ops.token",
                "A token for ever, in a file."
            ),
            ("admin-token create desk --scope moderate --expires 90d > d.token", "For moderators, for three months."),
            ("stats --server https://chat.example --token-file ops.token", "What it is for.")
        )
    )

    @Argument(help: ArgumentHelp("A name for it: letters, digits, _, . and -.", valueName: "NAME"))
    var name: String

    @Option(
        help: ArgumentHelp("What it lets its bearer do: read, moderate or manage. May be repeated.", valueName: "SCOPE")
    )
    var scope: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long it is valid, such as 12h or 90d. (default: until it is deleted)",
            valueName: "DURATION"
        ),
        transform: DurationArgument.reading
    )
    var expires: DurationArgument?

    @Option(help: ArgumentHelp("A new file for the token, with the mode 0600.", valueName: "FILE"))
    var output: String?

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard !self.scope.isEmpty else {
            throw ValidationError("Say what it lets its bearer do: --scope read, moderate or manage.")
        }
        guard (self.expires?.milliseconds).map({ $0 >= 1_000 && $0.isMultiple(of: 1_000) }) ?? true else {
            throw ValidationError("--expires takes whole seconds, 1s or more.")
        }
    }

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        // Before the token is made: one that cannot be written down is lost.
        let file = try self.output.map { path throws(CommandFailure) in try SecretFile(creating: path) }
        let response: AdminResponse
        do throws(CommandFailure) {
            response = try await client.send(AdminRequest(.post, ["tokens"], body: self.body))
        } catch {
            file?.remove()
            throw error
        }
        let token: AdminTokenDocument = try response.decode()
        if let file {
            try file.write(token.token ?? "")
            CommandFailure.say("the admin token \(token.name) is in \(file.path)")
            if output.isJSON { try output.write(try Self.withoutToken(response.body)) }
        } else if output.isJSON {
            try output.write(response.body)
        } else {
            CommandFailure.say("this is the admin token \(token.name), which is not shown again:")
            try output.write(plain: TerminalText.line(token.token ?? ""))
        }
    }

    private var body: JSONTree {
        var fields = [
            JSONTree.Field("name", .string(self.name)), .init("scopes", .array(self.scope.map { .string($0) })),
        ]
        if let expires { fields.append(.init("expires_in_seconds", expires.tree)) }
        return .object(fields)
    }

    /// What was written to a file need not stand in a log, too.
    private static func withoutToken(_ json: ByteBuffer) throws -> ByteBuffer {
        guard case .object(let fields) = try JSONTree.read(json) else { return json }
        return JSONTree.object(fields.filter { $0.name != "token" }).bytes
    }
}
