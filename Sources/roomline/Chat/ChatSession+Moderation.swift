import Foundation
import RoomClient

/// What moderators do, and what this user does as one.
extension ChatSession {
    // MARK: What they do

    func redacted(_ redaction: RoomRedaction) {
        self.delivery.saw(redaction.position.seq)
        let lines = self.transcript.redacted(
            redaction.messageID,
            by: Person(redaction.sender),
            reason: redaction.reason
        )
        var isReplaced = false
        if let replacement = lines.replacement {
            self.write { (console) throws(StandardOutput.Closed) in isReplaced = try console.replace(with: replacement)
            }
        }
        if !isReplaced { self.show([lines.note]) }
    }

    func cleared(_ position: RoomPosition, by sender: MessageSender) {
        self.start = position
        self.shownHistory = nil
        self.oldestShown = position.seq + 1
        self.delivery.cleared()
        self.transcript.forgetMessages()
        self.write { (console) throws(StandardOutput.Closed) in try console.clear() }
        self.show([self.transcript.event("×", Person(sender), " deleted all messages", Date())])
    }

    func noticed(_ notice: ModeratorNotice) {
        self.rules.noticed(notice)
        self.show([self.transcript.notice(notice.text, by: Person(notice.sender), Date())])
    }

    func muted(_ mute: Mute, everywhere: Bool) {
        self.rules.muted(everywhere: everywhere)
        let place = everywhere ? " in all rooms" : ""
        self.show([self.transcript.note(mute.text(in: .current) + place)])
    }

    func unmuted(everywhere: Bool) {
        self.rules.unmuted(everywhere: everywhere)
        self.show([self.transcript.note(Mute.endText)])
    }

    /// What concerns all rooms.
    func happened(_ event: ClientEvent) {
        switch event {
        case .notice(let notice): self.show([self.transcript.notice(notice.text, by: Person(notice.sender), Date())])
        case .muted(let mute): self.muted(mute, everywhere: true)
        case .unmuted: self.unmuted(everywhere: true)
        }
    }

    // MARK: What the user does

    /// - Parameter newest: the message that a redaction counts back from.
    func moderate(_ command: ModerationCommand, newest: UInt64?) async {
        do {
            if let note = try await self.perform(command, newest) {
                self.show([self.transcript.note(TerminalText.line(note))])
            }
        } catch let parseError as ModerationTarget.ParseError {
            self.show([self.transcript.note(TerminalText.line(parseError.text))])
        } catch {
            let text = (error as? RoomClientError)?.message ?? "\(error)"
            self.show([self.transcript.note(TerminalText.line("that did not work: \(text)"))])
        }
    }

    /// - Returns: what to say of it, where the room does not tell.
    private func perform(_ command: ModerationCommand, _ newest: UInt64?) async throws -> String? {
        let moderation = self.room.moderation
        switch command {
        case .kick(let text): return try await self.kick(text)
        case .ban(let text):
            let target = try self.target(text)
            let (duration, reason) = try target.term()
            try await moderation.ban(target.subject, for: duration, reason: reason)
            return "\(target.name) is banned from this room" + Self.hint(target)
        case .unban(let text):
            let target = try self.target(text)
            try await moderation.unban(target.subject)
            return "\(target.name) can come back"
        case .mute(let text):
            let target = try self.target(text)
            let (duration, reason) = try target.term()
            try await moderation.mute(target.subject, for: duration, reason: reason)
            return "\(target.name) is muted in this room" + Self.hint(target)
        case .unmute(let text):
            let target = try self.target(text)
            try await moderation.unmute(target.subject)
            return "\(target.name) can write again"
        case .redact(let back, let reason): try await self.redact(back, from: newest, reason)
        case .lock(let reason): try await moderation.lock(reason: reason)
        case .unlock: try await moderation.unlock()
        case .slow(let seconds): try await moderation.setSlowMode(.seconds(seconds))
        case .clear: try await moderation.clear()
        case .notice(let text): try await moderation.sendNotice(text)
        }
        return nil
    }

    private func kick(_ text: String) async throws -> String {
        let target = try self.target(text)
        guard !target.clientIDs.isEmpty else {
            throw ModerationTarget.ParseError(text: "/kick takes somebody who is here: a name, or id:ID")
        }
        for id in target.clientIDs {
            try await self.room.moderation.kick(id, reason: target.rest.isEmpty ? nil : target.rest)
        }
        return "\(target.name) is out of this room"
    }

    private func redact(_ back: Int, from newest: UInt64?, _ reason: String?) async throws {
        guard let newest, let seq = self.transcript.seq(back: back, from: newest) else {
            throw ModerationTarget.ParseError(text: "there is no such message on the screen")
        }
        try await self.room.moderation.redact(seq, reason: reason)
    }

    private func target(_ text: String) throws(ModerationTarget.ParseError) -> ModerationTarget {
        let present = Set(self.transcript.people.map(\.id))
        let others = self.knownMembers.values.filter { $0.person.id != self.client.clientID }
        let known = others.sorted { $0.seen > $1.seen }.map {
            ModerationTarget.KnownMember(
                person: $0.person,
                user: $0.user,
                isPresent: self.isObservable ? present.contains($0.person.id) : nil
            )
        }
        return try ModerationTarget.find(text, among: known)
    }

    /// A session is not a person.
    private static func hint(_ target: ModerationTarget) -> String {
        target.user == nil ? "; by its id, so not on another connection" : ""
    }

    func met(_ member: Member) {
        if self.knownMembers.count >= Self.mostAcquaintances { self.knownMembers.removeAll() }
        self.sightings += 1
        self.knownMembers[member.id] = (person: Person(member), user: member.user, seen: self.sightings)
    }

    private static let mostAcquaintances = 10_000
}
