import ArgumentParser
import RoomWire

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

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Option(help: ArgumentHelp("Why; the members are told, and the audit log has it.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] {
        [.init("locked", .bool(true)), .init("lock_reason", .optional(self.reason) { .string($0) })]
    }
}
