import ArgumentParser

/// `roomline channel …`
struct ChannelCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Make, show and change channels.",
        discussion: AdminHelp.group("channel list", "channel create shop --auth required", "channel show shop"),
        subcommands: [
            ChannelList.self, ChannelShow.self, ChannelCreate.self, ChannelSet.self, ChannelRotateSecret.self,
            ChannelNotice.self, ChannelDelete.self,
        ]
    )
}
