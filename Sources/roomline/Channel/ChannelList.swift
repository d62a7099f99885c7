import ArgumentParser

/// `roomline channel list`
struct ChannelList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the channels.",
        discussion: AdminHelp.text(
            "",
            ("channel list", "A table."),
            ("channel list --json | jq -r .id", "The ids, a line each.")
        )
    )

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await client.show("channels", of: AdminRequest(.get, ["channels"]), on: output, as: ChannelTables.list)
    }
}
