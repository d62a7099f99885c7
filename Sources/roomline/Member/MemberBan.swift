import ArgumentParser
import RoomModel

/// `roomline member ban`
struct MemberBan: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban",
        abstract: "Keep somebody out of a room, or of the whole channel.",
        discussion: AdminHelp.text(
            """
            Who is there is let go at once, without the time that a lost connection has to come back. A ban by client id ends \
            with the connection; one by user holds wherever that user comes from, where tokens say who somebody is.
            """,
            ("member ban --user luke --for 2h --reason 'spam'", "A user, for two hours, in the whole channel."),
            ("member ban Kf3Qz81LmXw0TbR --room lobby", "One connection, in one room, until \"member unban\"."),
            ("member ban --address 192.0.2.0/24 --dry-run", "Whom a ban of a network would meet now.")
        )
    )

    @OptionGroup
    var sanction: ImpositionOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.impose(.ban, self.admin, client, output)
    }
}
