import ArgumentParser

/// `roomline member list`
struct MemberList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List who is in a room, also in one that does not show its members.",
        discussion: AdminHelp.text(
            "LAG is how many messages of the room a member has not been sent yet, because it reads slowly.",
            ("member list lobby", "By id, with address and name."),
            ("member list lobby --json | jq -r .connection.address", "Their addresses.")
        )
    )

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        // The list of a room that there is not is empty; this tells what it might be called.
        _ = try await client.send(AdminRequest(.get, self.channel.path(self.room)))
        let request = AdminRequest(.get, self.channel.path(self.room, "members"))
        try await client.show("members", of: request, on: output) {
            MemberTables.list($0, in: output.timeZone)
        }
    }
}
