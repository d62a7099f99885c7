package import RoomCore
import RoomDelivery
import RoomDocuments
package import RoomModel
import RoomWire

extension ModerationRegistry {
    /// Performs an act that a moderator asks for in a room.
    ///
    /// - Throws: as `ModerationService.perform` says.
    package func perform(
        _ act: ModerationAct,
        in room: RoomKey,
        by moderator: Moderator
    ) async throws(RequestError) -> ModerationReceipt {
        switch act {
        case .room(let act): return try await self.perform(act, in: room, by: moderator)
        case .impose(let kind, let subject, let reason, let seconds):
            let key = Sanction.Key(kind, of: subject, in: room.room)
            _ = try await self.impose(key, in: room.channel, reason: reason, seconds: seconds, by: moderator)
        case .lift(let kind, let subject):
            try await self.lift(Sanction.Key(kind, of: subject, in: room.room), in: room.channel, by: moderator)
        case .lock(let reason):
            let change = AdminRulesPatch(isLocked: .value(true), lockReason: reason.map { .value($0) } ?? .null)
            _ = try await self.change(change, of: room, by: moderator)
        case .unlock:
            _ = try await self.change(AdminRulesPatch(isLocked: .value(false)), of: room, by: moderator)
        case .slowMode(let seconds):
            let change = AdminRulesPatch(slowMode: seconds == 0 ? .null : .value(seconds))
            _ = try await self.change(change, of: room, by: moderator)
        case .limitMembers(let count):
            let change = AdminRulesPatch(memberLimit: count == 0 ? .null : .value(count))
            _ = try await self.change(change, of: room, by: moderator)
        case .redactAll(let subject, let after, let reason):
            return .redactedAll(try await self.redactAll(of: subject, in: room, after, reason: reason, by: moderator))
        case .banAndRedact(let subject, let reason, let seconds):
            let ban = Sanction.Key(.ban, of: subject, in: room.room)
            return .redactedAll(
                try await self.banAndRedact(ban, in: room, reason: reason, seconds: seconds, by: moderator)
            )
        case .show(let message): return .shown(await self.state(of: room, authorOf: message))
        }
        return .done
    }

    /// The most bans and mutes that one answer lists.
    private static let mostShown = 200

    private func state(of room: RoomKey, authorOf message: MessageReference?) async -> ModerationReceipt.RoomState {
        var author: AffectedMember?
        if let message { author = await self.rooms.author(of: message, in: room) }
        let (moderation, now) = (self.moderation(of: room.channel), self.clock())
        let sanctions = moderation.sanctions.all.filter { $0.key.room == room.room && $0.holds(at: now) }
            .sorted { ($0.created, $0.key.subject.text) > ($1.created, $1.key.subject.text) }
        return ModerationReceipt.RoomState(
            rules: moderation.rules(of: room.room),
            sanctions: Array(sanctions.prefix(Self.mostShown)),
            total: sanctions.count,
            author: author.flatMap { author in
                guard author.user != nil || author.client != nil else { return nil }
                return SanctionedPerson(user: author.user, client: author.client, address: nil)
            }
        )
    }
}
