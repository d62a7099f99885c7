import ArgumentParser
import Foundation
import NIOCore
import RoomAdmin

/// `roomline history redact`
struct HistoryRedact: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Remove the content of one message of a room.",
        discussion: AdminHelp.text(
            """
            The position, the time and the sender of the message stay. Its content is removed, for all members and for everybody \
            who joins later. The redaction is an entry of the history itself.
            """,
            (
                "history redact lobby 41 --reason 'private address'",
                "By the number at the start of a line of \"history show\"; ask for confirmation first."
            ),
            ("history redact lobby 019aa3c5-7b16-7016-8f21-6c0d5e4b3a16 --yes", "By the id in its stamp; do not ask."),
            ("history redact lobby 41 --dry-run", "Only show the message.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("The seq of the message, or the id in its stamp.", valueName: "MESSAGE"))
    var message: String

    @Option(help: ArgumentHelp("The reason. The members see it, and it is in the audit log.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup
    var removal: RemovalOptions

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard UInt64(self.message) != nil || UUID(uuidString: self.message) != nil else {
            throw ValidationError(
                "MESSAGE is \(self.message): give its seq, as \"history show\" prints it, or the id in its stamp."
            )
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        if self.removal.dryRun { return try output.write(message: try await self.entry(client)) }
        var message = self.message
        if !self.removal.yes {
            let entry = try AdminMessage(json: try await self.entry(client))
            let line = MessageLine.line(entry, in: output.timeZone).text
            try Confirmation.ask("removes the content of this message for good: \(line)", isGiven: false)
            // another one may have its seq by now
            message = entry.id
        }
        let (room, channel) = (self.room.name, self.room.channel.channel)
        let call = AdminCall.redact(message, in: room, of: channel, reason: self.reason)
        let answer: AdminAnswer<AdminRedaction>
        do throws(AdminError) {
            answer = try await client.client.answer(to: call)
        } catch {
            if error.status != nil { try await self.requireHistory(client) }
            throw await client.failure(error, of: call.request)
        }
        if output.isJSON { return try output.write(answer.response.body) }
        let receipt = try answer.value()
        let deed = receipt.isDuplicate ? "had been redacted before" : "is redacted"
        CommandFailure.say("message \(receipt.targetSeq) of \(self.room.name) \(deed)")
    }

    /// - Throws: where the room keeps no history, which is why no message of it is found.
    private func requireHistory(_ client: AdminSession) async throws(CommandFailure) {
        _ = try await client.answer(to: .history(of: self.room.name, in: self.room.channel.channel, limit: 1))
    }

    /// The message as the history has it.
    private func entry(_ client: AdminSession) async throws -> ByteBuffer {
        try await self.requireHistory(client)
        let reader = try await HistoryReader(client, self.room)
        let seq = if let seq = UInt64(self.message) { seq } else { try await self.traced(client) }
        guard let entry = try await reader.entry(seq) else {
            throw CommandFailure(
                code: .refused,
                text:
                    "\(self.room.name) has no message \(seq), or no longer has it; \"roomline history show \(self.room.name.shellQuoted)"
                    + "\(self.room.channel.option)\(self.admin.option)\" lists the stored messages"
            )
        }
        return entry
    }

    private func traced(_ client: AdminSession) async throws -> UInt64 {
        try await client.send(.trace(self.message, in: self.room.name, of: self.room.channel.channel)).seq
    }
}
