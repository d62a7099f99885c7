import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// `roomline channel delete`
struct ChannelDelete: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a channel with its secrets and its history.",
        discussion: AdminHelp.text(
            "Its clients are disconnected. This cannot be undone.",
            ("channel delete shop", "Ask for confirmation, then delete."),
            ("channel delete shop --dry-run", "Only show how many connections and rooms it has now."),
            ("channel delete shop --yes", "In a script: do not ask.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"), completion: BrokerNames.channels)
    var id: String

    @Option(help: ArgumentHelp("Only if the channel still has this version.", valueName: "N"))
    var ifVersion: Int64?

    @OptionGroup
    var removal: RemovalOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        // A name that there is not is to be told before somebody says yes to it.
        _ = try await client.answer(to: .channel(self.id))
        if self.removal.dryRun { return try await self.showWhatIsThere(client, output) }
        let deed = "removes the channel \(self.id) with its secrets and all that its rooms have kept"
        try Confirmation.ask(deed, isGiven: self.removal.yes)
        try await client.send(.deleteChannel(self.id, ifVersion: self.ifVersion))
        if !output.isJSON { CommandFailure.say("the channel \(self.id) is deleted") }
    }

    private func showWhatIsThere(_ client: AdminSession, _ output: AdminOutput) async throws {
        let statistics = try await client.send(.statistics)
        let here = statistics.channels.first { $0.id == self.id }
        let (connections, rooms) = (here?.connections ?? 0, here?.rooms ?? 0)
        guard !output.isJSON else {
            return try output.write(
                JSONTree.object([
                    .init("id", .string(self.id)), .init("connections", .integer(connections)),
                    .init("rooms", .integer(rooms)),
                ]).bytes
            )
        }
        CommandFailure.say(
            "dry run: the channel \(self.id) would be removed, with its secrets and all that its rooms have kept; now it has "
                + "\(Counted.text(connections, "connection")), and \(Counted.text(rooms, "room")) with members"
        )
    }
}
