import ArgumentParser
import RoomWire

/// `roomline channel create`
struct ChannelCreate: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a channel and print its secret.",
        discussion: AdminHelp.text(
            """
            The secret is the only thing on standard output, so that it can go into a file. Tokens are made with it; no \
            other command shows it again.
            """,
            ("channel create shop --auth required > shop.secret", "A channel that only tokens let in."),
            ("channel create logs --history 10000 --history-age 7d", "Rooms keep 10,000 messages, for a week."),
            ("channel create game --history off --limit publish_rate=500", "Nothing is kept; 500 messages a second.")
        )
    )

    @Argument(help: ArgumentHelp("Its id: letters, digits, - and _.", valueName: "ID"))
    var id: String

    @OptionGroup(title: "Settings")
    var settings: ChannelSettingOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let body = JSONTree.object([.init("id", .string(self.id))] + self.settings.fields)
        let response = try await client.send(AdminRequest(.post, ["channels"], body: body))
        if output.isJSON { return try output.write(response.body) }
        let channel = try AdminChannel(json: response.body)
        CommandFailure.say("the channel \(channel.id) is there; this is its secret, which is not shown again:")
        try output.write(plain: TerminalText.line(channel.secret ?? ""))
        if !channel.keepsHistory {
            CommandFailure.say(
                "its rooms keep no history; \"roomline channel set \(channel.id) --history 1000\(self.admin.option)\" "
                    + "changes that"
            )
        }
    }
}
