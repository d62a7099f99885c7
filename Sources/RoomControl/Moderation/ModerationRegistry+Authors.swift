package import RoomCore
package import RoomDelivery
import RoomJSON
package import RoomModel

/// The redaction of all that is stored of somebody. It is made in steps between which other acts have their turns, and ends
/// after a bounded number of them: the caller goes on where it has stopped.
extension ModerationRegistry {
    /// The result of one request.
    package struct AuthorResult: Equatable, Sendable {
        package var count: Int
        /// Where the act goes on; `nil`: it is complete.
        package var next: String?

        package init(count: Int, next: String?) {
            self.count = count
            self.next = next
        }
    }

    /// Redacts some of an author's messages.
    package typealias AuthorWalk = @Sendable (MessageAuthor) async throws(RequestError) -> AuthorResult

    /// The most messages that one request redacts, and the most steps that it takes.
    package static let mostRedacted = 4_096
    private static let mostSteps = 256

    // MARK: In one room, for members

    func redactAll(
        of subject: SanctionSubject,
        in room: RoomKey,
        _ after: UInt64,
        reason: String?,
        by moderator: Moderator
    ) async throws(RequestError) -> RedactedPart {
        let place = after > 0 ? "\(after)" : nil
        return RedactedPart(
            try await self.redactAll(
                of: subject,
                in: room.channel,
                room.room,
                from: place,
                reason: reason,
                by: moderator
            ) {
                author throws(RequestError) in
                try await self.walk(author, room, from: after, reason: reason, by: moderator)
            }
        )
    }

    func banAndRedact(
        _ ban: Sanction.Key,
        in room: RoomKey,
        reason: String?,
        seconds: Int?,
        by moderator: Moderator
    ) async throws(RequestError) -> RedactedPart {
        let (_, result) = try await self.banAndRedact(
            ban,
            in: room.channel,
            reason: reason,
            seconds: seconds,
            by: moderator
        ) { author throws(RequestError) in
            try await self.walk(author, room, from: 0, reason: reason, by: moderator)
        }
        return RedactedPart(result)
    }

    private func walk(
        _ author: MessageAuthor,
        _ room: RoomKey,
        from after: UInt64,
        reason: String?,
        by moderator: Moderator
    ) async throws(RequestError) -> AuthorResult {
        let step = AuthorStep(author, reason: reason, after: after)
        let done = try await self.redactSome(step, in: room, atMost: Self.mostRedacted, by: moderator.sender)
        return AuthorResult(count: done.count, next: done.next.map { "\($0)" })
    }

    // MARK: In any place

    /// - Parameters:
    ///   - room: `nil`: rooms of the whole channel.
    ///   - place: where an earlier request has stopped.
    /// - Throws: what `walk` throws; `banned`, `invalid_field`, `storage_unavailable`.
    package func redactAll(
        of subject: SanctionSubject,
        in channel: ChannelID,
        _ room: RoomName?,
        from place: String?,
        reason: String?,
        by moderator: Moderator,
        _ walk: AuthorWalk
    ) async throws(RequestError) -> AuthorResult {
        try ModerationCheck.subject(subject)
        try ModerationCheck.reason(reason)
        await self.turns.take(channel)
        self.turns.pass(channel)
        try self.checkStanding(of: moderator, in: channel, room)
        let act = AuthorActs.Act(actor: moderator.actor, channel: channel, room: room, subject: subject)
        if let author = self.authorActs.author(of: act, at: place) { return try await self.go(on: act, author, walk) }
        let author = await self.author(subject, in: channel)
        let details = [JSONTree.Field(subject.field, .string(subject.text))] + .present("reason", reason)
        let target = room.map { "\(RoomKey(channel: channel, room: $0))" } ?? channel.text
        let entry = moderator.entry(.redact, target, details, time: self.clock())
        let (result, isDone) = try await self.noted(entry) { () throws(RequestError) in
            let result = try await self.go(on: act, author, walk)
            return (result, isDone: result.count > 0 || result.next != nil)
        }
        if isDone { self.done(.redact, in: channel, room) }
        return result
    }

    /// Bans somebody, and then redacts: what comes meanwhile is redacted too.
    ///
    /// - Throws: as `impose` and as `walk`; then the ban holds.
    package func banAndRedact(
        _ ban: Sanction.Key,
        in channel: ChannelID,
        reason: String?,
        seconds: Int?,
        by moderator: Moderator,
        _ walk: AuthorWalk
    ) async throws(RequestError) -> (sanction: Sanction, result: AuthorResult) {
        try ModerationCheck.subject(ban.subject)
        let author = await self.author(ban.subject, in: channel)
        let sanction = try await self.impose(
            ban,
            in: channel,
            reason: reason,
            seconds: seconds,
            isRedacting: true,
            by: moderator
        )
        let act = AuthorActs.Act(actor: moderator.actor, channel: channel, room: ban.room, subject: ban.subject)
        return (sanction, try await self.go(on: act, author, walk))
    }

    private func go(
        on act: AuthorActs.Act,
        _ author: MessageAuthor,
        _ walk: AuthorWalk
    ) async throws(RequestError) -> AuthorResult {
        let result = try await walk(author)
        self.authorActs.done(act, by: author, next: result.next)
        return result
    }

    /// The author of messages that a subject stands for: a user also by its present sessions, because messages of an earlier
    /// release may not say their user.
    package func author(_ subject: SanctionSubject, in channel: ChannelID) async -> MessageAuthor {
        switch subject {
        case .user(let user):
            MessageAuthor(user: user, clients: await self.rooms.clients(of: user, in: channel))
        case .client(let client): MessageAuthor(user: nil, clients: [client])
        case .address: MessageAuthor(user: nil, clients: [])
        }
    }

    /// Redacts in one room until it is done, or enough for one request.
    package func redactSome(
        _ first: AuthorStep,
        in room: RoomKey,
        atMost limit: Int,
        by sender: Sender
    ) async throws(RequestError) -> RedactedPart {
        var (step, done) = (first, RedactedPart(count: 0))
        for _ in 0..<Self.mostSteps where done.count < limit {
            let receipt = try await self.rooms.redact(step, in: room, by: sender)
            done.count += receipt.count
            done.next = receipt.next
            guard let next = receipt.next else { break }
            (step.after, step.end) = (next, receipt.end)
        }
        return done
    }
}

extension RedactedPart {
    fileprivate init(_ result: ModerationRegistry.AuthorResult) {
        self.init(count: result.count, next: result.next.flatMap { UInt64($0) })
    }
}
