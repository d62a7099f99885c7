import ArgumentParser

/// `roomline room show`
struct RoomShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one room.",
        discussion: AdminHelp.text(
            "",
            ("room show lobby", "Its members, its history, its rules and where its log stands."),
            ("room show support-7 --channel shop --json", "As JSON.")
        )
    )

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let response = try await client.send(AdminRequest(.get, self.channel.path(self.room)))
        try output.write(response, as: RoomTables.sheet)
    }
}
