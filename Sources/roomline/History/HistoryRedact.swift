import ArgumentParser
import Foundation
import NIOCore

/// `roomline history redact`
struct HistoryRedact: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Remove what one message of a room says.",
        discussion: AdminHelp.text(
            """
            Its place, its time and its sender stay; what it said is gone, for those who are there and for those who come \
            later. The redaction is an entry of the history by itself.
            """,
            (
                "history redact lobby 41 --reason 'private address'",
                "By the number that \"history show\" begins with; it asks first."
            ),
            ("history redact lobby 019aa3c5-7b16-7016-8f21-6c0d5e4b3a16 --yes", "By the id of its stamp, in a script."),
            ("history redact lobby 41 --dry-run", "Only show the message.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("Its seq, or the id of its stamp.", valueName: "MESSAGE"))
    var message: String

    @Option(help: ArgumentHelp("Why; the members are told, and the audit log has it.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup
    var removal: RemovalOptions

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard UInt64(self.message) != nil || UUID(uuidString: self.message) != nil else {
            throw ValidationError(
                "MESSAGE is \(self.message): give its seq, as \"history show\" begins with it, or the id of its stamp."
            )
        }
    }

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        if self.removal.dryRun { return try output.write(message: try await self.entry(client)) }
        if !self.removal.yes {
            let entry = try AdminMessage(json: try await self.entry(client))
            let line = MessageLine.line(entry, in: output.timeZone).text
            try Confirmation.ask("removes what this says for good: \(line)", isGiven: false)
        }
        let request = AdminRequest(
            .delete,
            self.room.path("messages", self.message),
            query: self.reason.map { [("reason", $0)] } ?? []
        )
        let response = try await client.exchange(request)
        guard (200..<300).contains(response.status) else {
            try await self.requireHistory(client)
            throw await client.failure(of: response, to: request)
        }
        if output.isJSON { return try output.write(response.body) }
        let receipt: Receipt = try response.decode()
        let deed = receipt.duplicate == true ? "had been redacted before" : "is redacted"
        CommandFailure.say("message \(receipt.targetSeq) of \(self.room.name) \(deed)")
    }

    /// - Throws: where the room keeps no history, which is why no message of it is found.
    private func requireHistory(_ client: AdminClient) async throws(CommandFailure) {
        let query = [(name: "limit", value: "1")]
        _ = try await client.send(AdminRequest(.get, self.room.path("history"), query: query))
    }

    /// The message as the history has it.
    private func entry(_ client: AdminClient) async throws -> ByteBuffer {
        try await self.requireHistory(client)
        let reader = try await HistoryReader(client, room: self.room.path())
        let seq = if let seq = UInt64(self.message) { seq } else { try await self.traced(client) }
        guard let entry = try await reader.entry(seq) else {
            throw CommandFailure(
                code: .refused,
                text:
                    "\(self.room.name) has no message \(seq), or not any more; \"roomline history show \(self.room.name.shellQuoted)"
                    + "\(self.room.channel.option)\(self.admin.option)\" shows what is kept"
            )
        }
        return entry
    }

    private func traced(_ client: AdminClient) async throws -> UInt64 {
        let query = [(name: "channel", value: self.room.channel.channel), (name: "room", value: self.room.name)]
        let trace: Place = try await client.send(AdminRequest(.get, ["trace", self.message], query: query)).decode()
        return trace.seq
    }

    private struct Place: Decodable {
        let seq: UInt64
    }

    private struct Receipt: Decodable {
        /// It was redacted before.
        let duplicate: Bool?
        let targetSeq: UInt64
    }
}
