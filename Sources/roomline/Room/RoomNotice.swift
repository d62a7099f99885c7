import ArgumentParser
import RoomWire

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

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Argument(help: ArgumentHelp("What is to be said.", valueName: "TEXT"))
    var text: String

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let body = JSONTree.object([.init("text", .string(self.text))])
        _ = try await client.send(AdminRequest(.post, self.channel.path(self.room, "notices"), body: body))
        if let note = await client.absence(of: self.room, in: self.channel.channel) { return CommandFailure.say(note) }
        if !output.isJSON { CommandFailure.say("the room \(self.room) was told") }
    }
}
