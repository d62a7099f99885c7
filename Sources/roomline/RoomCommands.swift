import ArgumentParser

/// `roomline room …`
struct RoomCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room",
        abstract: "See which rooms there are, and moderate them.",
        discussion: AdminHelp.group("room list", "room list --channel shop --prefix support-", "room lock lobby"),
        subcommands: [
            RoomList.self, RoomShow.self, RoomLock.self, RoomUnlock.self, RoomSlowMode.self, RoomLimit.self,
            RoomNotice.self, RoomClear.self,
        ]
    )
}
