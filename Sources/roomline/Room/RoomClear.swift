import ArgumentParser
import RoomAdmin
import RoomJSON

/// `roomline room clear`
struct RoomClear: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all stored messages of a room.",
        discussion: AdminHelp.text(
            """
            Its members stay, and are told. The room gets a new log with a new epoch. This cannot be undone; only a backup or \
            an earlier "history export" has the messages.
            """,
            ("room clear lobby", "Show the number of messages and ask for confirmation, then remove them."),
            ("room clear lobby --dry-run", "Only show the number of messages."),
            ("room clear lobby --yes --json | jq -r .epoch", "In a script: do not ask.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var removal: RemovalOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let kept = try await HistoryReader(client, self.room).kept()
        if self.removal.dryRun {
            if output.isJSON { return try output.write(kept.tree.bytes) }
            return CommandFailure.say("dry run: \(kept.words) of \(self.room.name) would be removed")
        }
        try Confirmation.ask(
            "removes for good all messages that the room \(self.room.name) has by then, now \(kept.words)",
            isGiven: self.removal.yes
        )
        let answer = try await client.answer(to: .clear(self.room.name, in: self.room.channel.channel))
        if output.isJSON { return try output.write(answer.response.body) }
        let cleared = try answer.value()
        CommandFailure.say("the room \(self.room.name) begins anew, with the epoch \(cleared.epoch)")
    }
}

/// How much a room has kept, without reading it: what is in its log has no holes.
struct KeptMessages: Equatable, Sendable {
    /// The room's name, for people and in JSON.
    let room: String
    /// `nil` where nothing is kept.
    let seqs: ClosedRange<UInt64>?

    var count: UInt64 { self.seqs.map { $0.upperBound - $0.lowerBound + 1 } ?? 0 }

    /// How many of them are above a place.
    func count(after seq: UInt64) -> UInt64 {
        guard let seqs, seq < seqs.upperBound else { return 0 }
        return seqs.upperBound - max(seq, seqs.lowerBound - min(1, seqs.lowerBound))
    }

    /// `41 messages (2 to 42)`
    var words: String {
        guard let seqs else { return "no message" }
        return seqs.count == 1
            ? "1 message (\(seqs.lowerBound))" : "\(self.count) messages (\(seqs.lowerBound) to \(seqs.upperBound))"
    }

    var tree: JSONTree {
        .object([
            .init("room", .string(self.room)), .init("messages", .integer(self.count)),
            .init("first_seq", .optional(self.seqs) { .integer($0.lowerBound) }),
            .init("last_seq", .optional(self.seqs) { .integer($0.upperBound) }),
        ])
    }
}
