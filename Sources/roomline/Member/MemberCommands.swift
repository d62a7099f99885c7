import ArgumentParser

/// `roomline member …`
struct MemberCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member",
        abstract: "See who is in a room, and moderate.",
        discussion: AdminHelp.group(
            "member list lobby",
            "member kick Kf3Qz81LmXw0TbR --room lobby",
            "member ban --user luke --for 2h"
        ),
        subcommands: [
            MemberList.self, MemberShow.self, MemberKick.self, MemberBan.self, MemberUnban.self, MemberMute.self,
            MemberUnmute.self, MemberBans.self, MemberMutes.self,
        ]
    )
}

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

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        // The list of a room that there is not is empty; this tells what it might be called.
        _ = try await client.send(AdminRequest(.get, self.room.path()))
        let request = AdminRequest(.get, self.room.path("members"))
        try await client.show("members", of: request, on: output) {
            MemberTables.list($0, in: output.timeZone)
        }
    }
}

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

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("Its id, as \"member list\" shows it.", valueName: "MEMBER"))
    var member: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let response = try await client.send(AdminRequest(.get, self.room.path("members", self.member)))
        try output.write(response) { MemberTables.sheet($0, in: output.timeZone) }
    }
}

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
