import ArgumentParser
import RoomAdmin

/// `roomline member …`
struct MemberCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member",
        abstract: "Show the members of rooms, and moderate them.",
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
        abstract: "List the members of a room, also of one that does not show them to clients.",
        discussion: AdminHelp.text(
            "LAG is the number of messages of the room that a slow member has not received yet.",
            ("member list lobby", "The members, with address and name."),
            ("member list lobby --json | jq -r .connection.address", "Only the addresses.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        // The list of a room that there is not is empty; this tells what it might be called.
        let (room, channel) = (self.room.name, self.room.channel.channel)
        _ = try await client.answer(to: .room(room, in: channel))
        try await client.show(.members(of: room, in: channel), on: output) {
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
            ("member show lobby Kf3Qz81LmXw0TbR", "Its client_data, the data of its token, and its connection."),
            ("member show lobby Kf3Qz81LmXw0TbR --json | jq .client_data", "One field, for a script.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(
        help: ArgumentHelp("The client id of the member, as \"member list\" shows it.", valueName: "MEMBER"),
        completion: BrokerNames.members
    )
    var member: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let answer = try await client.answer(
            to: .member(self.member, of: self.room.name, in: self.room.channel.channel)
        )
        try output.write(answer) { MemberTables.sheet($0, in: output.timeZone) }
    }
}
