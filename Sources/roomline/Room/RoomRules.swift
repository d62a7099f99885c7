import ArgumentParser
import RoomAdmin
import RoomJSON

/// A command that changes one rule of a room, and shows all of them then.
protocol RulesCommand: AdminCommand {
    var room: RoomOptions { get }

    /// What it asks for.
    var change: AdminCall<AdminRules> { get }
}

extension RulesCommand {
    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try output.write(try await client.answer(to: self.change)) { RoomTables.rules($0, of: self.room.name) }
        if let note = await client.absence(of: self.room.name, in: self.room.channel.channel) {
            CommandFailure.say(note)
        }
    }
}

/// `roomline room lock`
struct RoomLock: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock a room: only moderators can publish in it.",
        discussion: AdminHelp.text(
            "Its members stay, and are told. The lock holds until \"room unlock\", also after a restart of the broker.",
            ("room lock lobby --reason 'back at nine'", "Lock a room, with a reason that its members see."),
            ("room lock support-7 --channel shop --json", "Lock a room, and show its rules as JSON.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Option(help: ArgumentHelp("The reason. The members see it, and it is in the audit log.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup
    var admin: AdminOptions

    var change: AdminCall<AdminRules> {
        .lock(self.room.name, in: self.room.channel.channel, reason: self.reason)
    }
}

/// `roomline room unlock`
struct RoomUnlock: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlock a room: its members can publish again.",
        discussion: AdminHelp.text("", ("room unlock lobby", "End the lock of the room."))
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var admin: AdminOptions

    var change: AdminCall<AdminRules> { .unlock(self.room.name, in: self.room.channel.channel) }
}

/// `roomline room slow-mode`
struct RoomSlowMode: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "slow-mode",
        abstract: "Set how long a member of a room waits between two messages.",
        discussion: AdminHelp.text(
            "Moderators do not have to wait. The members are told.",
            ("room slow-mode lobby 10s", "At most one message in ten seconds from each member."),
            ("room slow-mode lobby off", "No limit but that of the channel.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(
        help: ArgumentHelp("The pause, in whole seconds up to a day; or off.", valueName: "DURATION|off"),
        transform: PauseArgument.reading
    )
    var pause: PauseArgument

    @OptionGroup
    var admin: AdminOptions

    var change: AdminCall<AdminRules> {
        .slowMode(of: self.room.name, in: self.room.channel.channel, seconds: self.pause.seconds)
    }
}

/// `roomline room limit`
struct RoomLimit: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Limit the number of members of a room.",
        discussion: AdminHelp.text(
            "Members of the room stay, also above the limit. New members are refused, except moderators.",
            ("room limit lobby 50", "At most 50 members."),
            ("room limit lobby none", "The limit of the channel: members_per_room in \"channel show\".")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("The most members, or none.", valueName: "N|none"))
    var most: LimitArgument

    @OptionGroup
    var admin: AdminOptions

    var change: AdminCall<AdminRules> {
        .memberLimit(of: self.room.name, in: self.room.channel.channel, self.most.most)
    }
}

/// A duration of whole seconds, or `off`.
struct PauseArgument: Equatable, Sendable {
    let seconds: Int?

    init?(argument: String) {
        guard argument != "off" else {
            self.seconds = nil
            return
        }
        guard let seconds = DurationArgument(argument: argument)?.wholeSeconds else { return nil }
        self.seconds = seconds
    }

    /// - Throws: `ValidationError` that lists the forms.
    static func reading(_ text: String) throws -> PauseArgument {
        guard let pause = PauseArgument(argument: text) else {
            throw ValidationError("give whole seconds, one or more, with their unit, such as 10s or 5m, or off.")
        }
        return pause
    }
}
