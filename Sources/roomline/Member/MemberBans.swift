import ArgumentParser
import RoomModel

/// `roomline member bans`
struct MemberBans: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "bans",
        abstract: "List who is banned.",
        discussion: AdminHelp.text(
            "Where ROOM is a dash, the ban is for the whole channel; where UNTIL is one, it holds until it is lifted.",
            ("member bans", "All of the channel \"default\" and of its rooms."),
            ("member bans --user luke --room lobby", "Whether a user is banned from a room."),
            ("member bans --json | jq -r .user", "The users, a line each.")
        )
    )

    @OptionGroup
    var list: SanctionListOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.list.show(.ban, client, output)
    }
}
