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
