import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// Options of `member ban` and `member mute`, and the work that both do with them.
struct ImpositionOptions: ParsableArguments {
    @OptionGroup
    var subject: SubjectOptions

    @OptionGroup
    var place: PlaceOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long it holds, such as 2h or 7d. (default: until it is lifted)", valueName: "DURATION"),
        transform: DurationArgument.readingSeconds
    )
    var duration: DurationArgument?

    @Option(help: ArgumentHelp("The reason. The member sees it, and it is in the audit log.", valueName: "TEXT"))
    var reason: String?

    @Flag(help: "Change nothing; only show the members that it would match now.")
    var dryRun = false

    func validate() throws {
        _ = try self.subject.required()
    }

    /// - Parameter broker: the options that name it in another command.
    func impose(
        _ kind: AdminSanction.Kind,
        at broker: String,
        redacting redaction: BanRedaction? = nil,
        _ client: AdminSession,
        _ output: AdminOutput
    ) async throws {
        let subject = try self.subject.required()
        if self.dryRun {
            try await self.showMet(by: subject, kind, client, output)
            if let redaction { try await redaction.showCount(client) }
            return
        }
        // Asked before: who is banned is in no room any more.
        let hint = try await self.hint(on: subject, kind, at: broker, client)
        try await redaction?.confirm(client)
        let absence: String? =
            if let room = self.place.room { await client.absence(of: room, in: self.place.channel) } else { nil }
        let answer = try await client.answer(to: self.call(kind, subject, isRedacting: redaction != nil))
        try output.write(answer) { SanctionTables.sheet($0, in: output.timeZone) }
        try await redaction?.goOn(after: try answer.value().redacted, client)
        for note in [hint, absence].compactMap(\.self) { CommandFailure.say(note) }
    }

    func call(
        _ kind: AdminSanction.Kind,
        _ subject: NamedSubject,
        isRedacting: Bool = false
    ) -> AdminCall<AdminSanction> {
        .impose(
            kind,
            on: subject.asked,
            in: self.place.channel,
            room: self.place.room,
            for: self.duration?.duration,
            reason: self.reason,
            isRedacting: isRedacting
        )
    }

    /// As where, how long and why stand in a command for another subject.
    private var option: String {
        let duration = self.duration.map { " --for \(Int($0.seconds))s" } ?? ""
        return self.place.option + duration + (self.reason.map { " --reason \($0.shellQuoted)" } ?? "")
    }

    /// A hint on a sanction for a client id, which means nobody any more after the member's next connection.
    private func hint(
        on subject: NamedSubject,
        _ kind: AdminSanction.Kind,
        at broker: String,
        _ client: AdminSession
    ) async throws -> String? {
        guard case .client(let id) = subject else { return try await self.absence(of: subject, kind, client) }
        let present = PresentMembers(client, in: self.place)
        let found: AdminMember? = if subject.isMisnamed { nil } else { try await present.first(id) }
        guard let member = found else {
            _ = try await self.namesakes(of: subject, kind, client)
            return "no member \(id) is in \(self.place.membersPlace) now; \"roomline member list ROOM\" shows who is"
        }
        let change = "a new connection of it has another client id"
        if let user = member.user {
            let command = "roomline member \(kind.rawValue) --user \(user.shellQuoted)\(self.option)\(broker)"
            return "\(change); \"\(command)\" would match all its connections"
        }
        return "\(change), and no token says who it is: --address ADDRESS would match its address"
    }

    /// Those who call themselves as the subject is given: perhaps one of them is meant.
    ///
    /// - Returns: a hint on them; `nil` where nobody is called so.
    /// - Throws: where the sanction can match nobody.
    private func namesakes(
        of subject: NamedSubject,
        _ kind: AdminSanction.Kind,
        _ client: AdminSession
    ) async throws -> String? {
        guard let name = subject.word else { return nil }
        let present = PresentMembers(client, in: self.place)
        let found = try await present.members(named: name)
        guard !found.isEmpty else {
            guard subject.isMisnamed else { return nil }
            let nearest = try await present.id(near: name).map { "did you mean \($0.shellQuoted)?" }
            throw CommandFailure(
                code: .refused,
                text: "\(name) is not a client id, and nobody in \(self.place.membersPlace) has this name now; "
                    + (nearest ?? "if it is a user, say --user \(name.shellQuoted)")
            )
        }
        let more = found.count > 5 ? " and \(found.count - 5) more" : ""
        let shown = found.prefix(5).map(\.idAndUser).joined(separator: ", ") + more
        let clients = "the client \(found.count == 1 ? "id" : "ids") \(shown)"
        guard case .user = subject else {
            let advice = "\(kind.rawValue) \(clients), or use --user USER where tokens name users"
            throw CommandFailure(code: .refused, text: "\(name) is a name and no client id: \(advice)")
        }
        let channel = try await client.answer(to: .channel(self.place.channel)).value()
        guard channel.word("authentication") == "none" else { return "the name \(name) has \(clients)" }
        let text = "\(name) is a name and no user: the channel \(channel.id) takes no tokens"
        throw CommandFailure(
            code: .refused,
            text: "\(text), so its members have no users; \(kind.rawValue) \(clients)"
        )
    }

    /// That nobody is there now whom the sanction matches. In a channel with very many rooms nobody is looked for.
    private func absence(
        of subject: NamedSubject,
        _ kind: AdminSanction.Kind,
        _ client: AdminSession
    ) async throws -> String? {
        let present = PresentMembers(client, in: self.place)
        guard try await present.hasFewRooms(), try await present.met(by: subject).isEmpty else { return nil }
        if let namesakes = try await self.namesakes(of: subject, kind, client) { CommandFailure.say(namesakes) }
        let isAll = self.place.room == nil
        let others = isAll ? "for those who are in no room, and for those who come" : "for those who come"
        return "nobody in \(self.place.membersPlace) \(subject.predicate) now; the \(kind.rawValue) holds \(others)"
    }

    private func showMet(
        by subject: NamedSubject,
        _ kind: AdminSanction.Kind,
        _ client: AdminSession,
        _ output: AdminOutput
    ) async throws {
        // The list of a room would not tell that its channel does not exist.
        _ = try await client.answer(to: .channel(self.place.channel))
        let met = try await PresentMembers(client, in: self.place).met(by: subject)
        let namesakes = met.isEmpty ? try await self.namesakes(of: subject, kind, client) : nil
        if output.isJSON {
            for presence in met { try output.write(presence.tree.bytes) }
        } else {
            try output.write(MemberTables.presences(met))
        }
        let count = Set(met.map(\.member.id)).count
        let who = count == 1 ? "1 member that is" : "\(count) members that are"
        CommandFailure.say("dry run: the \(kind.rawValue) would match \(who) there now")
        if let namesakes { CommandFailure.say(namesakes) }
    }
}
