import ArgumentParser

/// The channel of a room.
struct ChannelOption: ParsableArguments {
    @Option(help: ArgumentHelp("The channel that the room is in.", valueName: "ID"))
    var channel = "default"

    /// As it stands in a command for the same channel; empty where none need be said.
    var option: String { self.channel == "default" ? "" : " --channel \(self.channel)" }

    /// The path of one of its rooms.
    func path(_ room: String, _ more: String...) -> [String] {
        ["channels", self.channel, "rooms", room] + more
    }
}
