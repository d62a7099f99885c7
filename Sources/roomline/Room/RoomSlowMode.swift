import ArgumentParser
import RoomWire

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

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Argument(help: ArgumentHelp("How long, in whole seconds up to a day; or off.", valueName: "DURATION|off"))
    var pause: PauseArgument

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] { [.init("slow_mode_seconds", self.pause.tree)] }
}
