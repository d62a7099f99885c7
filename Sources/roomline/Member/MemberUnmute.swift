import ArgumentParser
import RoomModel

/// `roomline member unmute`
struct MemberUnmute: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute",
        abstract: "Lift a mute.",
        discussion: AdminHelp.text(
            "Say whom and where as it was said to \"member mute\"; \"member mutes\" shows it.",
            ("member unmute --user luke", "The one for the whole channel."),
            ("member unmute Kf3Qz81LmXw0TbR --room lobby", "The one of a room.")
        )
    )

    @OptionGroup
    var sanction: LiftOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.lift(.mute, self.admin, client, output)
    }
}
