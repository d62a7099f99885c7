import ArgumentParser
import RoomWire

/// A command that changes one rule of a room, and shows all of them then.
protocol RulesCommand: AdminCommand {
    var room: RoomOptions { get }

    /// What is to be merged into the rules.
    var fields: [JSONTree.Field] { get }
}

extension RulesCommand {
    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let request = AdminRequest(.patch, self.room.path("rules"), body: .object(self.fields))
        try output.write(try await client.send(request)) { RoomTables.rules($0, of: self.room.name) }
        if let note = await client.absence(of: self.room.name, in: self.room.channel.channel) {
            CommandFailure.say(note)
        }
    }
}

/// `roomline room lock`
struct RoomLock: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Let nobody but moderators publish in a room.",
        discussion: AdminHelp.text(
            "Its members stay, and are told. The lock holds until \"room unlock\", also over a restart of the broker.",
            ("room lock lobby --reason 'back at nine'", "With a reason, which its members see."),
            ("room lock support-7 --channel shop --json", "Its rules as JSON.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Option(help: ArgumentHelp("Why; the members are told, and the audit log has it.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] {
        [.init("locked", .bool(true)), .init("lock_reason", .optional(self.reason) { .string($0) })]
    }
}

/// `roomline room unlock`
struct RoomUnlock: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Let the members of a room publish again.",
        discussion: AdminHelp.text("", ("room unlock lobby", "What \"room lock lobby\" did is over."))
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] { [.init("locked", .bool(false))] }
}

/// `roomline room slow-mode`
struct RoomSlowMode: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "slow-mode",
        abstract: "Make each member of a room wait between two messages.",
        discussion: AdminHelp.text(
            "Moderators need not wait. The members are told.",
            ("room slow-mode lobby 10s", "A message in ten seconds at most, from each."),
            ("room slow-mode lobby off", "As fast as the channel allows.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("How long, in whole seconds up to a day; or off.", valueName: "DURATION|off"))
    var pause: PauseArgument

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] { [.init("slow_mode_seconds", self.pause.tree)] }
}

/// `roomline room limit`
struct RoomLimit: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Cap how many members a room can have.",
        discussion: AdminHelp.text(
            "Who is there stays, also above the cap; the next ones are refused. Moderators are not.",
            ("room limit lobby 50", "Nobody more than 50."),
            ("room limit lobby none", "As the channel says: \"channel show\" has its members_per_room.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("How many; or none.", valueName: "N|none"))
    var most: LimitArgument

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] { [.init("member_limit", self.most.tree)] }
}

/// A duration of whole seconds, or `off`. A number alone is of seconds, too.
struct PauseArgument: ExpressibleByArgument, Equatable, Sendable {
    let seconds: Int?

    init?(argument: String) {
        guard argument != "off" else {
            self.seconds = nil
            return
        }
        let isNumber = argument.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let duration = DurationArgument(argument: isNumber ? argument + "s" : argument),
            duration.milliseconds >= 1_000,
            duration.milliseconds.isMultiple(of: 1_000)
        else { return nil }
        self.seconds = duration.milliseconds / 1_000
    }

    var tree: JSONTree { .optional(self.seconds) { .integer($0) } }
}
