import ArgumentParser
import RoomWire

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

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Argument(help: ArgumentHelp("How many; or none.", valueName: "N|none"))
    var most: LimitArgument

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    var fields: [JSONTree.Field] { [.init("member_limit", self.most.tree)] }
}
