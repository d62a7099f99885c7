import Foundation
import RoomClient

/// The command that a moderator has entered, with all that it depends on at that moment.
struct ModeratorInput: Equatable, Sendable {
    /// A message that is to be redacted.
    struct Redacted: Equatable, Sendable {
        let seq: UInt64
        /// The name of its sender, fit to be shown.
        let sender: String
        let text: String
        /// The user who has written it, where its token names one.
        var user: String?

        private static let longestText = 60

        /// Fit to be shown.
        var shown: String {
            let author = self.user.map { "\(self.sender) (\(TerminalText.line($0)))" } ?? self.sender
            return "\(author): \"\(self.text.shortened(toColumns: Self.longestText))\""
        }
    }

    let command: ModerationCommand
    /// The room that it is about.
    let room: String
    /// The members whom a name may mean, the one seen last in front.
    var known: [ModerationTarget.KnownMember]
    /// The message that a redaction is about; `nil`: there is none.
    var redacted: Redacted?
    /// The users of all who are in the room; `nil`: nobody knows all of them.
    let users: Set<String>?
    /// Whether the broker was asked for the users who are meant.
    private(set) var isChecked = false

    /// What to ask before something is done that cannot be undone; `nil`: it is done at once.
    var question: String? {
        let deed: String? =
            switch self.command {
            case .redact:
                self.redacted.map {
                    "this removes a message for everybody, and for good, from the room \(self.room): \($0.shown)"
                }
            case .clear: "this deletes all messages of the room \(self.room), for everybody and for good"
            case .ban: self.redactingBan.map { self.words(of: $0.target, $0.term) }
            default: nil
            }
        return deed.map { "\($0); /yes does it" }
    }

    /// Whether it may be something to ask about: the broker has to be asked first who is meant.
    var mayNeedQuestion: Bool {
        switch self.command {
        case .redact, .clear: self.question != nil
        case .ban(let text): ModerationTarget.mayRedact(text)
        default: false
        }
    }

    /// A ban that redacts. What is wrong with the command is said when it is sent.
    private var redactingBan: (target: ModerationTarget, term: ModerationTarget.Term)? {
        guard case .ban(let text) = self.command, let target = try? self.target(text),
            let term = try? target.term(), term.isRedacting
        else { return nil }
        return (target, term)
    }

    private func words(of target: ModerationTarget, _ term: ModerationTarget.Term) -> String {
        let time = term.duration.map { "for \(ShownTime.duration(seconds: Double($0.components.seconds)))" }
        let ban = "this bans \(target.shown) from the room \(self.room) \(time ?? "until you lift it with /unban")"
        let end = target.user == nil ? ", of this connection only" : ""
        return "\(ban), and removes all messages of \(target.shown) there, for everybody and for good\(end)"
    }

    /// The one who is meant.
    private func target(_ text: String) throws(ModerationTarget.ParseError) -> ModerationTarget {
        let scope: ModerationTarget.Scope =
            if case .kick = self.command { .here } else { ModerationTarget.mayRedact(text) ? .authors : .users }
        return try ModerationTarget.find(text, among: self.known, scope)
    }

    /// Why it is not clear who is to be banned, or for how long.
    private var parseError: ModerationTarget.ParseError? {
        guard case .ban(let text) = self.command else { return nil }
        do throws(ModerationTarget.ParseError) {
            _ = try self.target(text).term()
            return nil
        } catch {
            return error
        }
    }

    /// Not permitted, and why, fit to be shown.
    struct Refusal: Error {
        let text: String
    }

    /// Asks the broker whether the user may do it, so that nobody is asked to confirm what is refused then, and who is meant.
    ///
    /// - Returns: what has to be confirmed.
    func checked<Body>(in room: Room<Body>) async throws(Refusal) -> ModeratorInput {
        let checked: ModeratorInput
        do throws(RoomClientError) {
            _ = try await room.moderation.state()
            checked = try await self.withUsers(from: room.moderation)
        } catch {
            throw Refusal(text: Self.words(of: error))
        }
        if let parseError = checked.parseError { throw Refusal(text: TerminalText.line(parseError.text)) }
        return checked
    }

    /// So many authors are asked for at most.
    private static let mostAsked = 10

    /// Asks who has written what is to be redacted, and for the users of those whom a name may mean: messages do not say them.
    private func withUsers(from moderation: RoomModeration) async throws(RoomClientError) -> ModeratorInput {
        guard !self.isChecked else { return self }
        var input = self
        input.isChecked = true
        if let redacted, case .user(let user)? = try await moderation.author(of: redacted.seq) {
            input.redacted?.user = user
        }
        guard let text = self.command.person else { return input }
        let unknown = self.known.indices.filter { index in
            self.known[index].user == nil && self.known[index].seq != nil
                && ModerationTarget.mayName(self.known[index], text)
        }
        for index in unknown.prefix(Self.mostAsked) {
            guard let seq = self.known[index].seq, case .user(let user)? = try await moderation.author(of: seq) else {
                continue
            }
            input.known[index].user = user
        }
        return input
    }

    /// Asks the broker for it.
    ///
    /// - Returns: what to say of it, where the room does not tell; fit to be shown.
    func outcome<Body>(in room: Room<Body>) async -> [String] {
        do {
            let request = try await self.withUsers(from: room.moderation)
            return try await request.send(to: room.moderation).map(TerminalText.line)
        } catch let parseError as ModerationTarget.ParseError {
            return [TerminalText.line(parseError.text)]
        } catch {
            return [Self.words(of: error)]
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
        case .kick(let text): return [try await self.kick(text, moderation)]
        case .ban(let text): return [try await self.ban(text, moderation)]
        case .unban(let text):
            let name = try await self.lift(text, "ban") { try await moderation.unban($0) }
            return ["\(name) can come back"]
        case .mute(let text): return [try await self.mute(text, moderation)]
        case .unmute(let text):
            let name = try await self.lift(text, "mute") { try await moderation.unmute($0) }
            return ["\(name) can write again"]
        case .redact(_, let reason):
            guard let redacted = self.redacted else {
                throw ModerationTarget.ParseError(text: "there is no such message on the screen")
            }
            try await moderation.redact(redacted.seq, reason: reason)
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

    /// Lifts what holds for somebody, by whichever of its ids it was set.
    ///
    /// - Returns: the name.
    private func lift(
        _ text: String,
        _ sanction: String,
        _ lift: (ModerationSubject) async throws -> Void
    ) async throws -> String {
        let target = try self.target(text)
        for subject in target.subjects {
            do {
                try await lift(subject)
                return target.shown
            } catch let error as RoomClientError where error.code == .sanctionNotFound {
                // perhaps it was set for another one
            }
        }
        let text =
            "there is no \(sanction) of \(target.shown) in this room; /bans lists them as user:USER or id:ID, which this takes, too"
        throw ModerationTarget.ParseError(text: text)
    }

    private func ban(_ text: String, _ moderation: RoomModeration) async throws -> String {
        let target = try self.target(text)
        let term = try target.term()
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
        return "\(target.shown) is banned from this room \(Self.end(of: term, "/unban"))\(removed)"
            + self.hint(target, "ban")
    }

    private func mute(_ text: String, _ moderation: RoomModeration) async throws -> String {
        let target = try self.target(text)
        let term = try target.term()
        guard !term.isRedacting else { throw ModerationTarget.ParseError(text: "--redact goes with /ban") }
        try await moderation.mute(target.subject, for: term.duration, reason: term.reason)
        return "\(target.shown) is muted in this room \(Self.end(of: term, "/unmute"))" + self.hint(target, "mute")
    }

    private static func end(of term: ModerationTarget.Term, _ lift: String) -> String {
        guard let duration = term.duration else { return "until you lift it with \(lift)" }
        let now = Date()
        let end = now.addingTimeInterval(TimeInterval(duration.components.seconds))
        return "until \(ShownTime.end(end, now: now, in: .current))"
    }

    private func kick(_ text: String, _ moderation: RoomModeration) async throws -> String {
        let target = try self.target(text)
        guard !target.clientIDs.isEmpty else {
            throw ModerationTarget.ParseError(text: "/kick takes somebody who is here: a name, or id:ID")
        }
        guard !ModerationCommand.beginsWithTime(target.rest) else {
            throw ModerationTarget.ParseError(text: "/kick takes no time: who is kicked can come back; /ban takes one")
        }
        for id in target.clientIDs {
            try await moderation.kick(id, reason: target.rest.isEmpty ? nil : target.rest)
        }
        return "\(target.shown) is out of this room"
    }

    /// A session is not a person, and a user may be somebody who is not there.
    func hint(_ target: ModerationTarget, _ sanction: String) -> String {
        guard let user = target.user else {
            let unknown = target.isKnown ? "" : "; nobody with this id was seen here"
            return "; by its id, so not on another connection\(unknown)"
        }
        guard let users, !users.contains(user) else { return "" }
        return "; nobody in the room is the user \(user) now, and the \(sanction) holds for those who come"
    }
}

/// An act that cannot be undone.
struct UnconfirmedAct: Equatable, Sendable {
    let request: ModeratorInput
    /// The question is on the screen, as the user may do it.
    var isAsked = false
}

extension RoomModerationState {
    /// For people, a line each.
    func lines(in timeZone: TimeZone) -> [String] {
        let rules = [
            self.isLocked ? "the room is locked" + (self.lockReason.map { ": \($0)" } ?? "") : nil,
            self.slowMode.map {
                "slow mode: a message every \(ShownTime.duration(seconds: Double($0.components.seconds)))"
            },
            self.memberLimit.map { "at most \($0) members" },
        ].compactMap(\.self)
        guard !self.sanctions.isEmpty else { return rules + ["nobody is banned or muted in this room"] }
        let more = self.sanctionCount - self.sanctions.count
        return rules + self.sanctions.map { $0.line(in: timeZone) } + (more > 0 ? ["and \(more) older ones"] : [])
    }
}

extension RoomModerationState.Sanction {
    /// `user:luke is muted until 14:05:00, by member:leia: spam`
    fileprivate func line(in timeZone: TimeZone) -> String {
        let (subject, deed) = (self.subject.shown, self.kind == .ban ? "banned" : "muted")
        let end = self.until.map { " until \(ShownTime.end($0, now: Date(), in: timeZone))" } ?? ""
        return "\(subject) is \(deed)\(end), by \(self.author)" + (self.reason.map { ": \($0)" } ?? "")
    }
}

extension ModerationSubject {
    /// As the commands take it.
    fileprivate var shown: String {
        switch self {
        case .user(let user): "user:\(user)"
        case .client(let id): "id:\(id)"
        case .address(let address): address
        }
    }
}
