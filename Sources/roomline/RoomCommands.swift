import ArgumentParser

/// `roomline room …`
struct RoomCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room",
        abstract: "See which rooms there are.",
        discussion: AdminHelp.group("room list", "room list --channel shop --prefix support-", "room show lobby"),
        subcommands: [RoomList.self, RoomShow.self]
    )
}
