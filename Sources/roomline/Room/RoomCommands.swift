import ArgumentParser
import RoomWire

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

/// `roomline room list`
struct RoomList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the rooms of a channel that have members.",
        discussion: AdminHelp.text(
            "RULES are what moderators have set: locked, slow-mode, a cap of members.",
            ("room list", "The rooms of the channel \"default\", by name."),
            ("room list --channel shop --prefix support-", "Some of another channel."),
            ("room list --json | jq -r .name", "The names, a line each.")
        )
    )

    @Option(help: ArgumentHelp("The channel.", valueName: "ID"))
    var channel = "default"

    @Option(help: ArgumentHelp("Only rooms whose name begins so.", valueName: "TEXT"))
    var prefix: String?

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let request = AdminRequest(
            .get,
            ["channels", self.channel, "rooms"],
            query: self.prefix.map { [("prefix", $0)] } ?? []
        )
        try await client.show("rooms", of: request, on: output, as: RoomTables.list)
    }
}

/// `roomline room show`
struct RoomShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one room.",
        discussion: AdminHelp.text(
            "",
            ("room show lobby", "Its members, its history, its rules and where its log stands."),
            ("room show support-7 --channel shop --json", "As JSON.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let response = try await client.send(AdminRequest(.get, self.room.path()))
        try output.write(response, as: RoomTables.sheet)
    }
}

/// `roomline room notice`
struct RoomNotice: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "notice",
        abstract: "Tell something to all who are in a room.",
        discussion: AdminHelp.text(
            "It is no message: nothing of it is kept. \"channel notice\" tells it in all rooms.",
            ("room notice lobby 'the broker restarts at nine'", "To one room.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var notice: NoticeArgument

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        _ = try await client.send(AdminRequest(.post, self.room.path("notices"), body: self.notice.body))
        if let note = await client.absence(of: self.room.name, in: self.room.channel.channel) {
            return CommandFailure.say(note)
        }
        if !output.isJSON { CommandFailure.say("the room \(self.room.name) was told") }
    }
}

/// What `room notice` and `channel notice` say.
struct NoticeArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The text of the notice.", valueName: "TEXT"))
    var text: String

    var body: JSONTree { .object([.init("text", .string(self.text))]) }
}
