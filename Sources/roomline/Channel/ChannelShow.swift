import ArgumentParser

/// `roomline channel show`
struct ChannelShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all settings of a channel.",
        discussion: AdminHelp.text(
            "The secret is not shown: that is done once, when it is made.",
            ("channel show shop", "A setting a line."),
            ("channel show shop --json | jq .limits", "Part of it, for a script.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"))
    var id: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try output.write(try await client.send(AdminRequest(.get, ["channels", self.id]))) {
            ChannelTables.sheet($0, in: output.timeZone)
        }
    }
}
