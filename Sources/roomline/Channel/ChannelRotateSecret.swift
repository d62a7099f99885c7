import ArgumentParser
import RoomAdmin
import RoomJSON

/// `roomline channel rotate-secret`
struct ChannelRotateSecret: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret",
        abstract: "Give a channel a new secret and print it.",
        discussion: AdminHelp.text(
            """
            The broker accepts the old secret for another day, or for as long as --overlap says, so that the services that \
            sign tokens can change to the new one. The command writes only the new secret to standard output, or with --output to a file that only \
            you can read.
            """,
            (
                "channel rotate-secret shop --output shop.secret --overwrite",
                "A new secret; the old one is accepted for another day."
            ),
            (
                "channel rotate-secret shop --overlap 0s --yes",
                "Refuse tokens with the old secret at once. Who is connected stays."
            )
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"), completion: BrokerNames.channels)
    var id: String

    @Option(
        help: ArgumentHelp("How long the old secret is still accepted.", valueName: "DURATION"),
        transform: DurationArgument.reading
    )
    var overlap: DurationArgument?

    @Option(help: ArgumentHelp("Only if the channel still has this version.", valueName: "N"))
    var ifVersion: Int64?

    @OptionGroup
    var secret: SecretOutput

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup
    var admin: AdminOptions

    /// - Parameter takesTokens: a channel that takes none has none that end.
    func deed(takesTokens: Bool) -> String {
        let end = self.overlap.map {
            $0.milliseconds == 0 ? "at once" : "in \(ShownTime.duration(seconds: $0.seconds))"
        }
        let tokens = takesTokens ? ", and the tokens that were signed with it, if there are any" : ""
        return "ends the secret of \(self.id) \(end ?? "in a day")\(tokens)"
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        if !self.yes {
            let channel = try await client.send(.channel(self.id))
            try Confirmation.ask(self.deed(takesTokens: channel.word("authentication") != "none"), isGiven: false)
        }
        let (answer, file) = try await self.secret.open {
            try await client.answer(
                to: .rotateSecret(of: self.id, overlap: self.overlap?.duration, ifVersion: self.ifVersion)
            )
        }
        let body = answer.response.body
        let rotated = try answer.value()
        try file?.write(rotated.secret)
        if output.isJSON {
            return try output.write(file == nil ? body : try SecretOutput.without("secret", body))
        }
        if let file { return CommandFailure.say("the new secret of \(self.id) is in \(file.path)") }
        CommandFailure.say("this is the new secret of \(self.id), which is not shown again:")
        try output.write(plain: TerminalText.line(rotated.secret))
    }
}
