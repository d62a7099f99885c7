import ArgumentParser

/// `roomline member …`
struct MemberCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member",
        abstract: "See who is in a room.",
        discussion: AdminHelp.group("member list lobby", "member show lobby Kf3Qz81LmXw0TbR"),
        subcommands: [MemberList.self, MemberShow.self]
    )
}
