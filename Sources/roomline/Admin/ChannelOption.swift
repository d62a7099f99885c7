import ArgumentParser

/// The channel of a room.
struct ChannelOption: ParsableArguments {
    @Option(help: ArgumentHelp("The channel that the room is in.", valueName: "ID"))
    var channel = "default"

    /// As it stands in a command for the same channel; empty where none need be said.
    var option: String { Self.option(self.channel) }

    /// The same of any channel.
    static func option(_ channel: String) -> String {
        channel == "default" ? "" : " --channel \(channel.shellQuoted)"
    }

    /// The path of one of its rooms.
    func path(_ room: String, _ more: String...) -> [String] {
        ["channels", self.channel, "rooms", room] + more
    }
}
