import ArgumentParser
import RoomWire

/// `roomline channel notice`
struct ChannelNotice: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "notice",
        abstract: "Tell something to all who are connected to a channel.",
        discussion: AdminHelp.text(
            "It is no message: nothing of it is kept. \"room notice\" tells it in one room.",
            ("channel notice shop 'the broker restarts at nine'", "To the whole channel.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"))
    var id: String

    @Argument(help: ArgumentHelp("What is to be said.", valueName: "TEXT"))
    var text: String

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let body = JSONTree.object([.init("text", .string(self.text))])
        _ = try await client.send(AdminRequest(.post, ["channels", self.id, "notices"], body: body))
        if !output.isJSON { CommandFailure.say("the channel \(self.id) was told") }
    }
}
