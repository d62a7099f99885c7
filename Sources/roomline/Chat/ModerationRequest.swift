import RoomClient

/// The command that a moderator has entered, with all that it depends on at that moment.
struct ModerationRequest: Equatable, Sendable {
    let command: ModerationCommand
    /// The members whom a name may mean, the one seen last in front.
    let known: [ModerationTarget.KnownMember]
    /// The place of the message that a redaction is about; `nil`: there is none.
    let redacted: UInt64?

    /// Asks the broker for it.
    ///
    /// - Returns: what to say of it, where the room does not tell; fit to be shown.
    func outcome<Body>(in room: Room<Body>) async -> String? {
        do {
            return try await self.send(to: room.moderation).map(TerminalText.line)
        } catch let parseError as ModerationTarget.ParseError {
            return TerminalText.line(parseError.text)
        } catch {
            let failure = error as? RoomClientError
            // The broker's advice is about tokens, and nobody in a chat has one to give.
            if failure?.code == .permissionDenied { return "you are not a moderator here" }
            return TerminalText.line("that did not work: \(failure?.message ?? "\(error)")")
        }
    }

    private func send(to moderation: RoomModeration) async throws -> String? {
        switch self.command {
        case .kick(let text): return try await self.kick(text, moderation)
        case .ban(let text):
            let target = try ModerationTarget.find(text, among: self.known)
            let (duration, reason) = try target.term()
            try await moderation.ban(target.subject, for: duration, reason: reason)
            return "\(target.name) is banned from this room" + Self.hint(target)
        case .unban(let text):
            let target = try ModerationTarget.find(text, among: self.known)
            try await moderation.unban(target.subject)
            return "\(target.name) can come back"
        case .mute(let text):
            let target = try ModerationTarget.find(text, among: self.known)
            let (duration, reason) = try target.term()
            try await moderation.mute(target.subject, for: duration, reason: reason)
            return "\(target.name) is muted in this room" + Self.hint(target)
        case .unmute(let text):
            let target = try ModerationTarget.find(text, among: self.known)
            try await moderation.unmute(target.subject)
            return "\(target.name) can write again"
        case .redact(_, let reason):
            guard let redacted = self.redacted else {
                throw ModerationTarget.ParseError(text: "there is no such message on the screen")
            }
            try await moderation.redact(redacted, reason: reason)
        case .lock(let reason): try await moderation.lock(reason: reason)
        case .unlock: try await moderation.unlock()
        case .slow(let seconds): try await moderation.setSlowMode(.seconds(seconds))
        case .clear: try await moderation.clear()
        case .notice(let text): try await moderation.sendNotice(text)
        }
        return nil
    }

    private func kick(_ text: String, _ moderation: RoomModeration) async throws -> String {
        let target = try ModerationTarget.find(text, among: self.known)
        guard !target.clientIDs.isEmpty else {
            throw ModerationTarget.ParseError(text: "/kick takes somebody who is here: a name, or id:ID")
        }
        for id in target.clientIDs {
            try await moderation.kick(id, reason: target.rest.isEmpty ? nil : target.rest)
        }
        return "\(target.name) is out of this room"
    }

    /// A session is not a person.
    private static func hint(_ target: ModerationTarget) -> String {
        target.user == nil ? "; by its id, so not on another connection" : ""
    }
}
