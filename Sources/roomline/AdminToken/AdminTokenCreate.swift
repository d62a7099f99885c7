import ArgumentParser
import NIOCore
import RoomAdmin
import RoomJSON

/// `roomline admin-token create`
struct AdminTokenCreate: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an admin token and print it.",
        discussion: AdminHelp.text(
            """
            The command writes only the token to standard output, or with --output to a file that only you can read. No \
            other command shows it again. Each scope includes the ones before it: read (see everything), moderate (kick, ban, \
            mute, redact), manage (change channels, secrets and tokens).
            """,
            (
                "admin-token create ops --scope manage --output ops.token",
                "A token that does not expire, in a file."
            ),
            (
                "admin-token create desk --scope moderate --expires 90d --output d.token",
                "For moderators, valid for 90 days."
            ),
            ("stats --server https://chat.example --token-file ops.token", "Use the token.")
        )
    )

    @Argument(help: ArgumentHelp("A name for the token: letters, digits, _, . and -.", valueName: "NAME"))
    var name: String

    @Option(
        help: ArgumentHelp("What the token allows: read, moderate or manage. May be repeated.", valueName: "SCOPE"),
        completion: .list(["read", "moderate", "manage"])
    )
    var scope: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long the token is valid, such as 12h or 90d. (default: until it is deleted)",
            valueName: "DURATION"
        ),
        transform: DurationArgument.readingSeconds
    )
    var expires: DurationArgument?

    @OptionGroup
    var secret: SecretOutput

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard !self.scope.isEmpty else {
            throw ValidationError("Say what the token allows: --scope read, moderate or manage.")
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let (answer, file) = try await self.secret.open { try await client.answer(to: self.call) }
        let body = answer.response.body
        let token = try answer.value()
        if let file {
            try file.write(token.token ?? "")
            CommandFailure.say("the admin token \(token.name) is in \(file.path)")
            if output.isJSON { try output.write(try SecretOutput.without("token", body)) }
        } else if output.isJSON {
            try output.write(body)
        } else {
            CommandFailure.say("this is the admin token \(token.name); it is not shown again:")
            try output.write(plain: TerminalText.line(token.token ?? ""))
        }
    }

    private var call: AdminCall<AdminToken> {
        .createToken(
            self.name,
            scopes: self.scope.map { AdminToken.Scope(rawValue: $0) },
            expiresIn: self.expires?.duration
        )
    }
}
