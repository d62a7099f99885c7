import ArgumentParser
import NIOCore
import RoomAdmin
import RoomModel

/// `roomline history …`
struct HistoryCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Read, search, redact, export, import and prune the stored messages of rooms.",
        discussion: AdminHelp.group(
            "history show lobby --limit 20",
            "history search lobby 'out of stock' --since 2d",
            "history export lobby > lobby.jsonl",
            "history import lobby lobby.jsonl",
            "history redact lobby 41",
            "history prune --room lobby --keep 1000"
        ),
        subcommands: [
            HistoryShow.self, HistorySearch.self, HistoryExport.self, HistoryImport.self, HistoryRedact.self,
            HistoryPrune.self,
        ]
    )
}

/// `roomline history show`
struct HistoryShow: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show stored messages of a room.",
        discussion: AdminHelp.text(
            "Without --before or --after, the command shows the newest messages. The oldest comes first.",
            ("history show lobby", "The last 20 messages: SEQ  DATE TIME  NAME: TEXT"),
            ("history show lobby --before 4200 --limit 100", "The 100 messages before message 4200."),
            ("history show lobby --json | jq -r .message", "The messages alone, as they were published.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("Show at most this many messages.", valueName: "N"))
    var limit = 20

    @Option(help: ArgumentHelp("Show the newest messages below this seq.", valueName: "SEQ"))
    var before: UInt64?

    @Option(help: ArgumentHelp("Show the oldest messages above this seq.", valueName: "SEQ"))
    var after: UInt64?

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard self.limit > 0 else { throw ValidationError("--limit has to be 1 or more.") }
        guard self.before == nil || self.after == nil else {
            throw ValidationError("--before and --after exclude each other.")
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let reader = try await HistoryReader(client, self.room)
        guard let after = self.after else {
            for message in try await reader.newest(self.limit, before: self.before, lost: HistoryReader.sayDamaged) {
                try output.write(message: message)
            }
            return
        }
        var left = self.limit
        try await reader.forEach(after: after, lost: HistoryReader.sayDamaged) { message, _ in
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

/// `roomline history export`
struct HistoryExport: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the stored messages of a room as JSON lines.",
        discussion: AdminHelp.text(
            """
            Each line is a message as it was published, with its stamp. The oldest comes first. Messages that arrive during \
            the export are included; messages that are trimmed during the export are reported on standard error.
            """,
            ("history export lobby > lobby.jsonl", "Export the whole history."),
            ("history export lobby --after 4200 >> lobby.jsonl", "Append the messages since an earlier export."),
            ("history export lobby | gzip > lobby.jsonl.gz", "Compress the export.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Option(help: ArgumentHelp("Only messages above this seq.", valueName: "SEQ"))
    var after: UInt64?

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let reader = try await HistoryReader(client, self.room)
        let kept = try await reader.kept()
        let start = self.after
        // the messages themselves are on the terminal
        let isQuiet = output.isJSON || StandardOutput.output.isTerminal
        let (count, last) = try await ProgressReport.during(isQuiet: isQuiet) { report in
            report.begin("exporting", .counted("messages"), of: kept.count(after: start ?? 0))
            var (count, last, told) = (0, start, start)
            let lost = { (seqs: ClosedRange<UInt64>) in
                report.hide()
                HistoryReader.sayDamaged(seqs)
                told = seqs.upperBound
            }
            try await reader.forEach(after: start ?? 0, lost: lost) { message, seq in
                if let told, seq > told + 1 {
                    report.hide()
                    CommandFailure.say("messages \(told + 1) to \(seq - 1) are no longer stored")
                }
                try output.write(message)
                (last, told) = (seq, seq)
                count += 1
                report.advance(by: 1)
                return true
            }
            return (count, last)
        }
        let messages = Counted.text(count, "message")
        CommandFailure.say(last.map { "\(messages), the last is \($0)" } ?? messages)
    }
}
