import ArgumentParser
import NIOCore

/// `roomline history show`
struct HistoryShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show messages that a room has kept.",
        discussion: AdminHelp.text(
            "The newest ones, unless told otherwise; the oldest of them first.",
            ("history show lobby", "The last 20: SEQ  DATE TIME  NAME: TEXT"),
            ("history show lobby --before 4200 --limit 100", "What came before message 4200."),
            ("history show lobby --json | jq -r .message", "What was said, as it was published.")
        )
    )

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many.", valueName: "N"))
    var limit = 20

    @Option(help: ArgumentHelp("The newest below this one.", valueName: "SEQ"))
    var before: UInt64?

    @Option(help: ArgumentHelp("The oldest above this one.", valueName: "SEQ"))
    var after: UInt64?

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard self.limit > 0 else { throw ValidationError("--limit has to be 1 or more.") }
        guard self.before == nil || self.after == nil else {
            throw ValidationError("--before and --after exclude each other.")
        }
    }

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let reader = try await HistoryReader(client, room: self.channel.path(self.room))
        guard let after = self.after else {
            for message in try await reader.newest(self.limit, before: self.before) {
                try output.write(message: message)
            }
            return
        }
        var left = self.limit
        try await reader.forEach(after: after) { message, _ in
            try output.write(message: message)
            left -= 1
            return left > 0
        }
    }
}

extension AdminOutput {
    /// A stored message, in either form.
    func write(message: ByteBuffer) throws {
        guard !self.isJSON else { return try self.write(message) }
        let decoded = try AdminMessage(json: message)
        try self.write(MessageLine.line(decoded, in: self.timeZone))
    }
}
