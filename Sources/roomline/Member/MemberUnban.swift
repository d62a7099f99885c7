import ArgumentParser
import RoomModel

/// `roomline member unban`
struct MemberUnban: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "unban",
        abstract: "Lift a ban.",
        discussion: AdminHelp.text(
            "Say whom and where as it was said to \"member ban\"; \"member bans\" shows it.",
            ("member unban --user luke", "The one for the whole channel."),
            ("member unban --address 192.0.2.0/24 --room lobby", "The one of a room.")
        )
    )

    @OptionGroup
    var sanction: LiftOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.lift(.ban, self.admin, client, output)
    }
}
