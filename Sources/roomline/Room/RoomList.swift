import ArgumentParser

/// `roomline room list`
struct RoomList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the rooms of a channel that have members.",
        discussion: AdminHelp.text(
            "RULES are what moderators have set: locked, slow-mode, a cap of members.",
            ("room list", "The rooms of the channel \"default\", by name."),
            ("room list --channel shop --prefix support-", "Some of another channel."),
            ("room list --json | jq -r .name", "The names, a line each.")
        )
    )

    @Option(help: ArgumentHelp("The channel.", valueName: "ID"))
    var channel = "default"

    @Option(help: ArgumentHelp("Only rooms whose name begins so.", valueName: "TEXT"))
    var prefix: String?

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let request = AdminRequest(
            .get,
            ["channels", self.channel, "rooms"],
            query: self.prefix.map { [("prefix", $0)] } ?? []
        )
        try await client.show("rooms", of: request, on: output, as: RoomTables.list)
    }
}
