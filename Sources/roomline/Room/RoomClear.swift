import ArgumentParser
import RoomWire

/// `roomline room clear`
struct RoomClear: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all that a room has kept.",
        discussion: AdminHelp.text(
            """
            Its members stay, and are told; the room begins anew, with another epoch. Nothing of it comes back, but for what a \
            backup or \"history export\" has.
            """,
            ("room clear lobby", "It asks first, and says how many messages it would remove."),
            ("room clear lobby --dry-run", "Only how many."),
            ("room clear lobby --yes --json | jq -r .epoch", "In a script, where nobody can be asked.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @OptionGroup
    var removal: RemovalOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let kept = try await HistoryReader(client, room: self.room.path()).kept(of: self.room.name)
        if self.removal.dryRun {
            if output.isJSON { return try output.write(kept.tree.bytes) }
            return CommandFailure.say("dry run: \(kept.words) of \(self.room.name) would be removed")
        }
        try Confirmation.ask("removes \(kept.words) of the room \(self.room.name) for good", isGiven: self.removal.yes)
        let response = try await client.send(AdminRequest(.post, self.room.path("clear")))
        if output.isJSON { return try output.write(response.body) }
        let cleared: Cleared = try response.decode()
        CommandFailure.say("the room \(self.room.name) begins anew, with the epoch \(cleared.epoch)")
    }

    private struct Cleared: Decodable {
        let epoch: String
    }
}

/// How much a room has kept, without reading it: what is in its log has no holes.
struct KeptMessages: Equatable, Sendable {
    /// The room's name, for people and in JSON.
    let room: String
    /// `nil` where nothing is kept.
    let seqs: ClosedRange<UInt64>?

    var count: UInt64 { self.seqs.map { $0.upperBound - $0.lowerBound + 1 } ?? 0 }

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
