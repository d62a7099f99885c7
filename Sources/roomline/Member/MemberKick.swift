import ArgumentParser

/// `roomline member kick`
struct MemberKick: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "kick",
        abstract: "Put a member out of a room, or off its channel.",
        discussion: AdminHelp.text(
            "It is gone at once, and it can come back: \"member ban\" keeps it out.",
            ("member kick Kf3Qz81LmXw0TbR --room lobby --reason 'off topic'", "Out of one room."),
            ("member kick Kf3Qz81LmXw0TbR", "Off the channel: its connection is closed.")
        )
    )

    @Argument(help: ArgumentHelp("Its client id, as \"member list\" shows it.", valueName: "MEMBER"))
    var member: String

    @OptionGroup
    var place: PlaceOptions

    @Option(help: ArgumentHelp("Why; the member is told, and the audit log has it.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let room = self.place.room.map { ["rooms", $0] } ?? []
        let request = AdminRequest(
            .delete,
            self.place.path + room + ["members", self.member],
            query: self.reason.map { [("reason", $0)] } ?? []
        )
        _ = try await client.send(request)
        if !output.isJSON { CommandFailure.say("\(self.member) is out of \(self.place.words)") }
    }
}
