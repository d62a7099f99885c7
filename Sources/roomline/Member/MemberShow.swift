import ArgumentParser

/// `roomline member show`
struct MemberShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one member of a room.",
        discussion: AdminHelp.text(
            "",
            ("member show lobby Kf3Qz81LmXw0TbR", "What it says of itself, what its token says, and its connection."),
            ("member show lobby Kf3Qz81LmXw0TbR --json | jq .client_data", "Part of it.")
        )
    )

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Argument(help: ArgumentHelp("Its id, as \"member list\" shows it.", valueName: "MEMBER"))
    var member: String

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let response = try await client.send(AdminRequest(.get, self.channel.path(self.room, "members", self.member)))
        try output.write(response) { MemberTables.sheet($0, in: output.timeZone) }
    }
}
