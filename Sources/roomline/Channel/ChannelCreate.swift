import ArgumentParser
import RoomJSON

/// `roomline channel create`
struct ChannelCreate: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a channel and print its secret.",
        discussion: AdminHelp.text(
            """
            The command writes only the secret to standard output, or with --output to a file that only you can read. The \
            secret signs the tokens of the channel. No other command shows it again.
            """,
            (
                "channel create shop --auth required --output shop.secret",
                "A channel that only clients with a token can use."
            ),
            ("channel create logs --history 10000 --history-age 7d", "Rooms keep 10,000 messages, for a week."),
            ("channel create game --history off --limit publish_rate=500", "No history; at most 500 messages a second.")
        )
    )

    @Argument(help: ArgumentHelp("The id of the channel: letters, digits, - and _.", valueName: "ID"))
    var id: String

    @OptionGroup
    var secret: SecretOutput

    @OptionGroup(title: "Settings")
    var settings: ChannelSettingOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let body = JSONTree.object([.init("id", .string(self.id))] + self.settings.fields)
        let (response, file) = try await self.secret.open {
            try await client.send(AdminRequest(.post, ["channels"], body: body))
        }
        let channel = try AdminChannel(json: response.body)
        try file?.write(channel.secret ?? "")
        if output.isJSON {
            return try output.write(file == nil ? response.body : try SecretOutput.without("secret", response.body))
        }
        if let file {
            CommandFailure.say("the channel \(channel.id) is created; its secret is in \(file.path)")
        } else {
            CommandFailure.say("the channel \(channel.id) is created; this is its secret, which is not shown again:")
            try output.write(plain: TerminalText.line(channel.secret ?? ""))
        }
        if !channel.keepsHistory {
            CommandFailure.say(
                "its rooms keep no history; \"roomline channel set \(channel.id) --history 1000\(self.admin.option)\" "
                    + "changes that"
            )
        }
    }
}
