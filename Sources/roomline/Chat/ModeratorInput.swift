import Foundation
import RoomClient

/// The command that a moderator has entered, with all that it depends on at that moment.
struct ModeratorInput: Equatable, Sendable {
    /// A message that is to be redacted.
    struct Redacted: Equatable, Sendable {
        /// The id of the message: another one may have its `seq` once the room was cleared.
        let id: UUID
        let seq: UInt64
        let sender: ChatMember
        let text: String
        /// The user who has written it, where its token names one, or what tells the sender from others of the name.
        var mark = ""

        private static let longestText = 60

        var shown: String { "\(self.sender.name)\(self.mark): \"\(self.text.shortened(toColumns: Self.longestText))\"" }
    }

    let command: ModerationCommand
    /// The room that it is about.
    let room: String
    /// The members whom a name may mean, those who are here in front.
    var known: [ModerationTarget.KnownMember]
    /// The message that a redaction is about; `nil`: there is none.
    var redacted: Redacted?
    /// The users of all who are in the room; `nil`: nobody knows all of them.
    let users: [String]?
    /// Whether the broker was asked for the users who are meant.
    private(set) var isChecked = false
    /// The one who is meant; `nil` until that is clear, or where nobody is.
    private(set) var target: ModerationTarget?
    /// Whether the moderator was asked, and said yes.
    private(set) var isConfirmed = false

    /// Finds out who is meant.
    ///
    /// - Returns: what to ask before it is done; `nil`: nothing.
    mutating func question() throws(ModerationTarget.ParseError) -> ModeratorQuestion? {
        if case .person(_, let text) = self.command, self.target == nil {
            var targets = try ModerationTarget.readings(of: text, among: self.known)
            let present = targets.filter { !$0.present.isEmpty }
            // nobody can be kicked who has left
            if case .person(.kick, _) = self.command, !present.isEmpty { targets = present }
            guard targets.count == 1 else { return self.which(of: targets) }
            self.target = targets[0]
        }
        guard !self.isConfirmed, let deed = try self.deed else { return nil }
        var confirmed = self
        confirmed.isConfirmed = true
        return ModeratorQuestion(lines: ["\(deed); /yes does it"], answers: [confirmed])
    }

    private func which(of targets: [ModerationTarget]) -> ModeratorQuestion {
        let isSameAct = targets.allSatisfy { $0.rest == targets[0].rest }
        var (lines, answers) = ([Self.manyReadings], [ModeratorInput]())
        for target in targets.prefix(Self.mostChoices) {
            var answer = self
            answer.target = target
            answers.append(answer)
            let act = isSameAct || target.rest.isEmpty ? "" : ", with \"\(target.rest)\""
            lines.append("/\(answers.count) is \(target.described)\(act)")
        }
        let more = targets.count - answers.count
        if more > 0 { lines.append("and \(more) more; user:USER and id:ID say which, too") }
        return ModeratorQuestion(lines: lines, answers: answers)
    }

    private static let manyReadings = "nothing is done yet: that can mean more than one; say which"
    private static let mostChoices = 20

    /// Something that cannot be undone, in words; `nil` where it can be.
    private var deed: String? {
        get throws(ModerationTarget.ParseError) {
            switch self.command {
            case .redact:
                return self.redacted.map {
                    "this removes a message for everybody, and for good, from the room \(self.room): \($0.shown)"
                }
            case .clear: return "this deletes all messages of the room \(self.room), for everybody and for good"
            case .person(.ban, _):
                guard let target = self.target else { return nil }
                let term = try ModerationTerm(target.rest)
                return term.isRedacting ? self.words(of: target, term) : nil
            default: return nil
            }
        }
    }

    private func words(of target: ModerationTarget, _ term: ModerationTerm) -> String {
        let time = term.duration.map { "for \(ShownTime.duration(seconds: Double($0.components.seconds)))" }
        let ban = "this bans \(target.shown) from the room \(self.room) \(time ?? "until you lift it with /unban")"
        let end = target.user == nil ? ", of this connection only" : ""
        return "\(ban), and removes all messages of \(target.shown) there, for everybody and for good\(end)"
    }

    // MARK: The broker

    /// So many authors are asked for at most.
    private static let mostAsked = 10

    /// Asks who has written what is to be redacted, and for the users of those whom a name may mean: messages do not say them.
    private func withUsers(from moderation: RoomModeration) async throws(RoomClientError) -> ModeratorInput {
        guard !self.isChecked else { return self }
        var input = self
        input.isChecked = true
        if let redacted, case .user(let user)? = try await moderation.author(of: redacted.seq) {
            input.redacted?.mark = " (\(TerminalText.user(user)))"
        }
        guard case .person(_, let text) = self.command else { return input }
        let unknown = self.known.indices.filter { index in
            self.known[index].member.user == nil && self.known[index].seq != nil
                && self.known[index].mayBeMeant(by: text)
        }
        for index in unknown.prefix(Self.mostAsked) {
            guard let seq = self.known[index].seq, case .user(let user)? = try await moderation.author(of: seq) else {
                continue
            }
            input.known[index].member = ChatMember(person: input.known[index].member.person, user: user)
        }
        return input
    }

    /// The result of a command.
    enum Outcome: Sendable {
        /// The lines to say of it, where the room does not tell; fit to be shown.
        case done([String])
        case asks(ModeratorQuestion)
    }

    /// Asks the broker for it, or the moderator first what is meant, and whether it is.
    func outcome<Body>(in room: Room<Body>) async -> Outcome {
        do {
            var input = try await self.withUsers(from: room.moderation)
            guard let question = try input.question() else {
                return .done(try await input.send(to: room.moderation).map(TerminalText.line))
            }
            // nobody is asked for what is refused then
            _ = try await room.moderation.state()
            return .asks(question)
        } catch let parseError as ModerationTarget.ParseError {
            return .done([TerminalText.line(parseError.text)])
        } catch {
            return .done([Self.words(of: error)])
        }
    }

    private static func words(of error: any Error) -> String {
        let failure = error as? RoomClientError
        // The broker's advice is about tokens, and nobody in a chat has one to give.
        if failure?.code == .permissionDenied { return "you are not a moderator here" }
        return TerminalText.line("that did not work: \(failure?.shown ?? "\(error)")")
    }

    private func send(to moderation: RoomModeration) async throws -> [String] {
        switch self.command {
        case .person(let act, _):
            guard let target = self.target else { return [] }
            return [try await self.done(act, to: target, moderation)]
        case .redact(_, let reason):
            guard let redacted = self.redacted else {
                throw ModerationTarget.ParseError(text: "there is no such message on the screen")
            }
            try await moderation.redact(id: redacted.id, reason: reason)
        case .lock(let reason):
            try await moderation.lock(reason: reason)
            return ["the room is locked until you lift it with /unlock"]
        case .unlock:
            try await moderation.unlock()
            return ["everybody can write in the room"]
        case .slow(let seconds):
            try await moderation.setSlowMode(.seconds(seconds))
            return seconds > 0 ? ["slow mode lasts until you end it with /slow off"] : []
        case .clear: try await moderation.clear()
        case .notice(let text): try await moderation.sendNotice(text)
        case .bans: return try await moderation.state().lines(in: .current)
        }
        return []
    }

    private func done(
        _ act: ModerationCommand.PersonAct,
        to target: ModerationTarget,
        _ moderation: RoomModeration
    ) async throws -> String {
        switch act {
        case .kick: return try await Self.kick(target, moderation)
        case .ban: return try await self.ban(target, moderation)
        case .unban:
            try await Self.lift("ban", of: target) { try await moderation.unban($0) }
            return "\(target.shown) can come back"
        case .mute: return try await self.mute(target, moderation)
        case .unmute:
            try await Self.lift("mute", of: target) { try await moderation.unmute($0) }
            return "\(target.shown) can write again"
        }
    }

    /// Lifts what holds for somebody, by whichever of its ids it was set.
    private static func lift(
        _ sanction: String,
        of target: ModerationTarget,
        _ lift: (ModerationSubject) async throws -> Void
    ) async throws {
        for subject in target.subjects {
            do {
                return try await lift(subject)
            } catch let error as RoomClientError where error.code == .sanctionNotFound {
                // perhaps it was set for another one
            }
        }
        let text =
            "there is no \(sanction) of \(target.shown) in this room; /bans lists them as user:USER or id:ID, which this takes, too"
        throw ModerationTarget.ParseError(text: text)
    }

    private func ban(_ target: ModerationTarget, _ moderation: RoomModeration) async throws -> String {
        let term = try ModerationTerm(target.rest)
        var removed = ""
        if term.isRedacting {
            let count = try await moderation.banAndRedactMessages(
                of: target.subject,
                for: term.duration,
                reason: term.reason
            )
            removed = "; \(count == 1 ? "1 message is" : "\(count) messages are") removed"
        } else {
            try await moderation.ban(target.subject, for: term.duration, reason: term.reason)
        }
        let end = await Self.end(of: .ban, target, term, moderation)
        return "\(target.shown) is banned from this room \(end)\(removed)" + self.hint(target, "ban")
    }

    private func mute(_ target: ModerationTarget, _ moderation: RoomModeration) async throws -> String {
        let term = try ModerationTerm(target.rest)
        guard !term.isRedacting else { throw ModerationTarget.ParseError(text: "--redact goes with /ban") }
        try await moderation.mute(target.subject, for: term.duration, reason: term.reason)
        let end = await Self.end(of: .mute, target, term, moderation)
        return "\(target.shown) is muted in this room \(end)" + self.hint(target, "mute")
    }

    /// The end as `/bans` names it: by the clock of the broker.
    private static func end(
        of kind: RoomModerationState.Sanction.Kind,
        _ target: ModerationTarget,
        _ term: ModerationTerm,
        _ moderation: RoomModeration
    ) async -> String {
        guard let duration = term.duration else { return "until you lift it with /un\(kind)" }
        let now = Date()
        // where the broker does not answer, the own clock has to do: the act is done
        let sanctions = (try? await moderation.state().sanctions) ?? []
        let end =
            sanctions.first { $0.kind == kind && $0.subject == target.subject }?.until
            ?? now.addingTimeInterval(TimeInterval(duration.components.seconds))
        return "until \(ShownTime.end(end, now: now, in: .current))"
    }

    /// All sessions that are meant; some of them may have left.
    private static func kick(_ target: ModerationTarget, _ moderation: RoomModeration) async throws -> String {
        guard !ModerationCommand.beginsWithTime(target.rest) else {
            throw ModerationTarget.ParseError(text: "/kick takes no time: who is kicked can come back; /ban takes one")
        }
        let reason = target.rest.isEmpty ? nil : target.rest
        var isKicked = false
        for id in target.present where try await Self.kick(id, reason, moderation) { isKicked = true }
        guard isKicked else {
            let isUnseen = target.sessions.isEmpty && target.user != nil
            let text =
                isUnseen ? "this chat has seen no session of \(target.shown) here" : "\(target.shown) is not here"
            throw ModerationTarget.ParseError(text: text)
        }
        return "\(target.shown) is out of this room"
    }

    /// - Returns: whether it was here.
    private static func kick(
        _ id: String,
        _ reason: String?,
        _ moderation: RoomModeration
    ) async throws(RoomClientError) -> Bool {
        do throws(RoomClientError) {
            try await moderation.kick(id, reason: reason)
            return true
        } catch {
            guard error.code == .memberNotFound else { throw error }
            return false
        }
    }

    /// A session is not a person, and a user may be somebody who is not there.
    func hint(_ target: ModerationTarget, _ sanction: String) -> String {
        guard let user = target.user else {
            let unknown = target.sessions.isEmpty ? "; nobody with this id was seen here" : ""
            return "; by its id, so not on another connection\(unknown)"
        }
        guard let users, !users.contains(where: { TerminalText.isSameUser($0, user) }) else { return "" }
        return
            "; nobody in the room is the user \(TerminalText.user(user)) now, and the \(sanction) holds for those who come"
    }
}

/// A question of the chat, before it does something.
struct ModeratorQuestion: Equatable, Sendable {
    let lines: [String]
    /// The command that `/yes` does; `/1`, `/2` … where there are several.
    let answers: [ModeratorInput]

    /// - Parameter number: `nil`: yes.
    func answer(_ number: Int?) -> ModeratorInput? {
        let index = number.map { $0 - 1 } ?? 0
        return (number == nil) == (self.answers.count == 1) && self.answers.indices.contains(index)
            ? self.answers[index] : nil
    }
}

/// The command that was entered last, as long as it is not done.
struct PendingAct: Equatable, Sendable {
    let input: ModeratorInput
    /// The question on the screen that is not answered.
    var question: ModeratorQuestion?
}
