import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// `roomline room …`
struct RoomCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room",
        abstract: "List, show and moderate rooms.",
        discussion: AdminHelp.group("room list", "room list --channel shop --prefix support-", "room lock lobby"),
        subcommands: [
            RoomList.self, RoomShow.self, RoomLock.self, RoomUnlock.self, RoomSlowMode.self, RoomLimit.self,
            RoomNotice.self, RoomClear.self,
        ]
    )
}

/// `roomline room show`
struct RoomShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one room.",
        discussion: AdminHelp.text(
            "",
            ("room show lobby", "Its members, history, rules and position of the log."),
            ("room show support-7 --channel shop --json", "As JSON.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let answer = try await client.answer(to: .room(self.room.name, in: self.room.channel.channel))
        try output.write(answer, as: RoomTables.sheet)
    }
}

/// `roomline room notice`
struct RoomNotice: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "notice",
        abstract: "Send a notice to all members of a room.",
        discussion: AdminHelp.text(
            "A notice is not a message: it is not stored. \"channel notice\" sends it to all rooms.",
            ("room notice lobby 'the broker restarts at nine'", "Send a notice to one room.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var notice: NoticeArgument

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let answer = try await client.answer(
            to: .notice(self.notice.text, to: self.room.name, in: self.room.channel.channel)
        )
        if output.isJSON { return try output.write(answer.response.body) }
        let notified = try answer.value()
        if notified.reached == 0, let note = await client.absence(of: self.room.name, in: self.room.channel.channel) {
            return CommandFailure.say(note)
        }
        CommandFailure.say("the room \(self.room.name) was told: \(notified.words)")
    }
}

extension NotifiedConnections {
    /// `1 connection`
    var words: String { Counted.text(self.reached, "connection") }
}

/// The text of `room notice` and `channel notice`.
struct NoticeArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The text of the notice.", valueName: "TEXT"))
    var text: String
}
