import ArgumentParser
import RoomAdmin

/// `roomline channel …`
struct ChannelCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Create, show and change channels.",
        discussion: AdminHelp.group("channel list", "channel create shop --auth required", "channel show shop"),
        subcommands: [
            ChannelList.self, ChannelShow.self, ChannelCreate.self, ChannelSet.self, ChannelRotateSecret.self,
            ChannelNotice.self, ChannelDelete.self,
        ]
    )
}

/// `roomline channel list`
struct ChannelList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the channels.",
        discussion: AdminHelp.text(
            "",
            ("channel list", "A table."),
            ("channel list --json | jq -r .id", "The ids, one a line.")
        )
    )

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try await client.show(.channels, on: output, as: ChannelTables.list)
    }
}

/// `roomline channel show`
struct ChannelShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all settings of a channel.",
        discussion: AdminHelp.text(
            "The secret is not shown: only \"channel create\" and \"channel rotate-secret\" show it, once.",
            ("channel show shop", "All settings, one a line."),
            ("channel show shop --json | jq .limits", "Some of the settings, for a script.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"), completion: BrokerNames.channels)
    var id: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try output.write(try await client.answer(to: .channel(self.id))) {
            ChannelTables.sheet($0, in: output.timeZone)
        }
    }
}

/// `roomline channel notice`
struct ChannelNotice: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "notice",
        abstract: "Send a notice to all clients of a channel.",
        discussion: AdminHelp.text(
            "A notice is not a message: it is not stored. \"room notice\" sends it to one room.",
            ("channel notice shop 'the broker restarts at nine'", "Send a notice to the whole channel.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"), completion: BrokerNames.channels)
    var id: String

    @OptionGroup
    var notice: NoticeArgument

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let answer = try await client.answer(to: .notice(self.notice.text, in: self.id))
        if output.isJSON { return try output.write(answer.response.body) }
        let notified = try answer.value()
        CommandFailure.say("the channel \(self.id) was told: \(notified.words)")
    }
}
