import RoomAdmin

/// The redaction of all that is stored of somebody, with a ban.
struct BanRedaction {
    let subject: NamedSubject
    let place: PlaceOptions
    let reason: String?
    /// `--yes` was said.
    let isConfirmed: Bool

    /// Shows how many messages it is about, and asks.
    func confirm(_ client: AdminSession) async throws {
        if self.isConfirmed { return }
        let count = try await self.redact(client, isDryRun: true)
        try Confirmation.ask(
            "bans \(self.subject.words) from \(self.place.words), and removes \(self.words(count)) there for good",
            isGiven: false
        )
    }

    func showCount(_ client: AdminSession) async throws {
        let count = try await self.redact(client, isDryRun: true)
        CommandFailure.say("dry run: \(self.words(count)) would be removed")
    }

    /// Redacts what the ban has left.
    func goOn(after first: RedactedMessages?, _ client: AdminSession) async throws {
        let count = try await self.redact(client, after: first, isDryRun: false)
        CommandFailure.say("\(self.words(count)) \(count == 1 ? "is" : "are") removed from \(self.place.words)")
    }

    private func redact(
        _ client: AdminSession,
        after first: RedactedMessages? = nil,
        isDryRun: Bool
    ) async throws(CommandFailure) -> UInt64 {
        do throws(AdminError) {
            return try await client.client.redactMessages(
                of: self.subject.asked,
                in: self.place.channel,
                room: self.place.room,
                reason: self.reason,
                isDryRun: isDryRun,
                after: first
            ).messages
        } catch {
            throw await client.failure(error, of: AdminCall.channel(self.place.channel).request)
        }
    }

    private func words(_ count: UInt64) -> String { count == 1 ? "1 message" : "\(count) messages" }
}
