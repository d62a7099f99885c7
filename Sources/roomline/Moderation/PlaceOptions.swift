import ArgumentParser

/// Where a moderator's act holds: in one room, or in the whole channel.
struct PlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only in this room; without it, in the whole channel.", valueName: "ROOM"))
    var room: String?

    @Option(help: ArgumentHelp("The channel.", valueName: "ID"))
    var channel = "default"

    var path: [String] { ["channels", self.channel] }

    /// As it stands in a command for the same place; empty for the whole of the default channel.
    var option: String {
        (self.room.map { " --room \($0.shellQuoted)" } ?? "") + ChannelOption.option(self.channel)
    }

    /// For people.
    var words: String {
        self.room.map { "the room \($0) of \(self.channel)" } ?? "the channel \(self.channel)"
    }
}
