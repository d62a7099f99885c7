import ArgumentParser
import RoomWire

/// `roomline room unlock`
struct RoomUnlock: RulesCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Let the members of a room publish again.",
        discussion: AdminHelp.text("", ("room unlock lobby", "What \"room lock lobby\" did is over."))
    )

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] { [.init("locked", .bool(false))] }
}
