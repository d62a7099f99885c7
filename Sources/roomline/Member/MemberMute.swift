import ArgumentParser
import RoomModel

/// `roomline member mute`
struct MemberMute: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "Let somebody listen, but not publish.",
        discussion: AdminHelp.text(
            "The member is told, also when the mute ends. By whom a mute can be, \"member ban --help\" says.",
            ("member mute --user luke --room lobby --for 10m --reason 'calm down'", "A user, in one room."),
            ("member mute Kf3Qz81LmXw0TbR --for 1h", "One connection, in all rooms of the channel."),
            ("member mute --user luke --json | jq -r .expires", "Until when, for a script.")
        )
    )

    @OptionGroup
    var sanction: ImpositionOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.impose(.mute, self.admin, client, output)
    }
}
