import ArgumentParser

/// `roomline history export`
struct HistoryExport: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all that a room has kept as JSON lines.",
        discussion: AdminHelp.text(
            """
            Each line is a message as it was published, with its stamp, the oldest first; as many as there are when the end \
            is reached. Messages that are trimmed meanwhile are told on standard error.
            """,
            ("history export lobby > lobby.jsonl", "All of it."),
            ("history export lobby --after 4200 >> lobby.jsonl", "What has come since an earlier export."),
            ("history export lobby | gzip > lobby.jsonl.gz", "Packed.")
        )
    )

    @Argument(help: ArgumentHelp("The room.", valueName: "ROOM"))
    var room: String

    @Option(help: ArgumentHelp("Only messages above this one.", valueName: "SEQ"))
    var after: UInt64?

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let reader = try await HistoryReader(client, room: self.channel.path(self.room))
        var (count, last) = (0, self.after)
        try await reader.forEach(after: self.after ?? 0) { message, seq in
            if let last, seq > last + 1 {
                CommandFailure.say("messages \(last + 1) to \(seq - 1) are not kept any more")
            }
            try output.write(message)
            last = seq
            count += 1
            return true
        }
        CommandFailure.say(last.map { "\(count) messages, the last is \($0)" } ?? "\(count) messages")
    }
}
