import ArgumentParser
import RoomAdmin
import RoomJSON

/// `roomline channel create`
struct ChannelCreate: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a channel and print its secret.",
        discussion: AdminHelp.text(
            """
            The command writes only the secret to standard output, or with --output to a file that only you can read. The \
            secret signs the tokens of the channel. No other command shows it again. Each room keeps its newest 1000 messages \
            for 30 days, unless --history and --history-age say otherwise.
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

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let (answer, file) = try await self.secret.open {
            try await client.answer(to: .createChannel(self.id, fields: self.settings.fields))
        }
        let body = answer.response.body
        let channel = try answer.value()
        try file?.write(channel.secret ?? "")
        if output.isJSON {
            return try output.write(file == nil ? body : try SecretOutput.without("secret", body))
        }
        if let file {
            CommandFailure.say("the channel \(channel.id) is created; its secret is in \(file.path)")
        } else {
            CommandFailure.say("the channel \(channel.id) is created; this is its secret, which is not shown again:")
            try output.write(plain: TerminalText.line(channel.secret ?? ""))
        }
        CommandFailure.say(self.kept(by: channel))
    }

    /// What the rooms of the new channel keep.
    private func kept(by channel: AdminChannel) -> String {
        let rules = channel.hasHistoryRules ? ", but for those of its history rules" : ""
        if let history = channel.history { return "its rooms keep \(history.text)\(rules)" }
        let remedy = "\"roomline channel set \(channel.id) --history 1000\(self.admin.option)\" changes that"
        return "its rooms keep no history\(rules); \(remedy)"
    }
}
