import ArgumentParser
import RoomModel

/// `roomline member mutes`
struct MemberMutes: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutes",
        abstract: "List who is muted.",
        discussion: AdminHelp.text(
            "Where ROOM is a dash, the mute is for the whole channel; where UNTIL is one, it holds until it is lifted.",
            ("member mutes", "All of the channel \"default\" and of its rooms."),
            ("member mutes --room lobby --json", "Those of one room, for a script.")
        )
    )

    @OptionGroup
    var list: SanctionListOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.list.show(.mute, client, output)
    }
}
