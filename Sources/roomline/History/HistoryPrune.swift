import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// `roomline history prune`
struct HistoryPrune: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Delete the oldest stored messages of a room or of a whole channel.",
        discussion: AdminHelp.text(
            """
            A message is deleted if it is older than --older-than, or if the room has more than --keep newer ones. The rooms \
            keep their numbers: a client that asks for a deleted message is told of a gap. This cannot be undone; only a \
            backup or an earlier "history export" has the messages. The broker deletes in small steps, and stores new messages \
            in between.

            "channel set --history" and "--history-age" limit what is kept from now on.
            """,
            ("history prune --room lobby --keep 1000", "Keep the newest 1000 messages of a room."),
            (
                "history prune --channel shop --older-than 30d",
                "Delete what is older than 30 days in all rooms of a channel."
            ),
            ("history prune --channel shop --older-than 30d --dry-run", "Only show how many messages that would be."),
            ("history prune --older-than 365d --keep 100000 --yes --json", "In a script: do not ask.")
        )
    )

    @Option(
        help: ArgumentHelp("Only this room. (default: all rooms of the channel)", valueName: "ROOM"),
        completion: BrokerNames.rooms
    )
    var room: String?

    @OptionGroup
    var channel: ChannelOption

    @Option(
        help: ArgumentHelp("Delete messages that are older, such as 30d.", valueName: "DURATION"),
        transform: DurationArgument.reading
    )
    var olderThan: DurationArgument?

    @Option(help: ArgumentHelp("Delete all but the newest N messages of each room.", valueName: "N"))
    var keep: UInt64?

    @OptionGroup
    var removal: RemovalOptions

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard self.olderThan != nil || self.keep != nil else {
            throw ValidationError("say what is to be deleted, with --older-than, --keep or both.")
        }
        guard self.keep ?? 0 <= UInt64(Int64.max) else { throw ValidationError("--keep is too large.") }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        var expected: PrunedMessages?
        if self.removal.dryRun || !self.removal.yes {
            let found = try await ProgressReport.during(isQuiet: output.isJSON) { report in
                report.begin("counting messages", .counted("messages"))
                return try await self.prune(client, isDryRun: true) { report.advance(by: $0.messages) }
            }
            if self.removal.dryRun {
                if output.isJSON { return try output.write(found.tree.bytes) }
                return CommandFailure.say("dry run: \(self.words(found)) would be deleted")
            }
            if found.messages > 0 {
                try Confirmation.ask(
                    "deletes for good all such messages that there are by then, now \(self.words(found))",
                    isGiven: false
                )
            }
            expected = found
        }
        let total = expected?.messages
        let pruned = try await ProgressReport.during(isQuiet: output.isJSON) { report in
            report.begin("deleting", .counted("messages"), of: total)
            return try await self.prune(client, isDryRun: false) { report.advance(by: $0.messages) }
        }
        if output.isJSON { return try output.write(pruned.tree.bytes) }
        switch pruned.messages {
        case 0:
            let hint = self.room == nil ? "" : "; \"roomline room list --stored\" lists the rooms that store messages"
            CommandFailure.say("there are no such messages; nothing was deleted\(hint)")
        case 1: CommandFailure.say("\(self.words(pruned)) was deleted")
        default: CommandFailure.say("\(self.words(pruned)) were deleted")
        }
    }

    private func prune(
        _ client: AdminSession,
        isDryRun: Bool,
        _ step: (PrunedMessages) -> Void
    ) async throws(CommandFailure) -> PrunedMessages {
        do throws(AdminError) {
            return try await client.client.prune(
                self.channel.channel,
                room: self.room,
                keep: self.keep,
                olderThan: self.olderThan?.duration,
                isDryRun: isDryRun,
                onStep: step
            )
        } catch {
            throw await client.failure(error, of: AdminCall.channel(self.channel.channel).request)
        }
    }

    /// `1200 messages (~1.2 MiB) of 3 rooms of the channel shop`
    private func words(_ pruned: PrunedMessages) -> String {
        if let room = self.room { return "\(pruned.words) of the room \(room)" }
        let rooms = Counted.text(pruned.rooms, "room")
        return "\(pruned.words) of \(rooms) of the channel \(self.channel.channel)"
    }
}

extension PrunedMessages {
    /// `1200 messages (~1.2 MiB)`; without a size that nobody knows.
    var words: String {
        let size = self.bytes > 0 ? " (\(ShownSize.text(self.bytes, isEstimate: self.bytesAreEstimated)))" : ""
        return Counted.text(self.messages, "message") + size
    }

    var tree: JSONTree {
        .object([
            .init("rooms", .integer(self.rooms)), .init("messages", .integer(self.messages)),
            .init("bytes", .integer(self.bytes)), .init("bytes_are_estimated", .bool(self.bytesAreEstimated)),
        ])
    }
}
