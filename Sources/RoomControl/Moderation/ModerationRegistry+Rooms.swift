package import RoomCore
import RoomDelivery
import RoomJSON
package import RoomModel

/// Acts on a room and on those who are in it.
extension ModerationRegistry {
    /// Changes a room's rules, and tells the room. A rule that is so already is not noted and not told.
    ///
    /// - Returns: the rules as they are now.
    /// - Throws: `banned`, `invalid_field`, `too_many_sanctions`, `unknown_channel`, `storage_unavailable`.
    package func change(
        _ change: RoomRulesPatch,
        of room: RoomKey,
        by moderator: Moderator
    ) async throws(RequestError) -> RoomRules {
        try ModerationCheck.rules(change)
        await self.turns.take(room.channel)
        defer { self.turns.pass(room.channel) }
        try self.checkStanding(of: moderator, in: room.channel, room.room)
        let moderation = self.moderation(of: room.channel)
        let old = moderation.rules(of: room.room)
        let rules = change.applied(to: old)
        let steps = RulesStep.steps(from: old, to: rules)
        if steps.isEmpty { return old }
        if old.isEmpty { try ModerationBounds(moderator).checkRules(moderation) }
        let now = self.clock()
        let entries = steps.map { moderator.entry($0.action, "\(room)", $0.details, time: now) }
        try await self.store { directory throws(ChannelDirectoryError) in
            try directory.set(rules, of: room, entries)
        }
        await self.putInEffect(in: room.channel, rooms: [room.room]) { $0.set(rules, of: room.room) }
        for step in steps {
            self.done(step.action, in: room.channel, room.room)
            guard let notice = step.notice else { continue }
            // A room that is not there has nobody to tell.
            _ = try? await self.rooms.notify(notice, in: room, by: moderator.sender)
        }
        return rules
    }

    /// - Throws: `banned`, `member_not_found`, `invalid_field`, `storage_unavailable`.
    package func kick(
        _ client: ClientID,
        from room: RoomKey,
        reason: String?,
        by moderator: Moderator
    ) async throws(RequestError) {
        let missing = RequestError(
            .memberNotFound,
            "there is no member \(client.text.shown) in the room \(room.room.text.shown)"
        )
        try await self.kick(client, in: room.channel, room.room, reason: reason, by: moderator, missing) {
            await self.rooms.kick(client, from: room, reason: reason, by: moderator.sender)
        }
    }

    /// - Throws: `banned`, `member_not_found`, `invalid_field`, `storage_unavailable`.
    package func kick(
        _ client: ClientID,
        from channel: ChannelID,
        reason: String?,
        by moderator: Moderator
    ) async throws(RequestError) {
        let missing = RequestError(.memberNotFound, "there is no member \(client.text.shown) in the channel \(channel)")
        try await self.kick(client, in: channel, nil, reason: reason, by: moderator, missing) {
            await self.rooms.kick(client, from: channel, reason: reason)
        }
    }

    private func kick(
        _ client: ClientID,
        in channel: ChannelID,
        _ room: RoomName?,
        reason: String?,
        by moderator: Moderator,
        _ missing: RequestError,
        _ kick: () async -> Bool
    ) async throws(RequestError) {
        try ModerationCheck.subject(.client(client))
        try ModerationCheck.reason(reason)
        let affected = await self.rooms.affected(client, in: channel, room)
        let details =
            AffectedMember(client: client, user: affected?.user, name: affected?.name).details
            + .present("reason", reason)
        _ = try await self.perform(.kick, in: channel, room, details, by: moderator) { () throws(RequestError) in
            guard await kick() else { throw missing }
            return (.done, isDone: true)
        }
    }

    /// - Throws: `banned`, `message_not_found`, `invalid_field`, `unknown_channel`, `storage_unavailable`.
    package func redact(
        _ message: MessageReference,
        in room: RoomKey,
        reason: String?,
        by moderator: Moderator
    ) async throws(RequestError) -> ModerationReceipt {
        try ModerationCheck.reason(reason)
        let target: JSONTree.Field =
            switch message {
            case .id(let id): .init("target_id", .string("\(id)"))
            case .seq(let seq): .init("target_seq", .integer(seq))
            }
        let author = await self.rooms.author(of: message, in: room)
        let details = [target] + (author?.details ?? []) + .present("reason", reason)
        return try await self.perform(.redact, in: room.channel, room.room, details, by: moderator) {
            () throws(RequestError) in
            let receipt = try await self.rooms.redact(message, in: room, reason: reason, by: moderator.sender)
            return (.redacted(receipt), isDone: receipt.seq != nil)
        }
    }

    /// - Throws: `banned`, `unknown_channel`, `storage_unavailable`.
    package func clear(_ room: RoomKey, by moderator: Moderator) async throws(RequestError) -> ModerationReceipt {
        try await self.perform(.clear, in: room.channel, room.room, [], by: moderator) { () throws(RequestError) in
            (.cleared(try await self.rooms.clear(room, by: moderator.sender)), isDone: true)
        }
    }

    /// - Throws: `banned`, `invalid_field`, `unknown_channel`, `storage_unavailable`.
    package func notify(
        _ text: String,
        in room: RoomKey,
        by moderator: Moderator
    ) async throws(RequestError) -> ModerationReceipt {
        try ModerationCheck.notice(text)
        let details = [JSONTree.Field("text", .string(text))]
        return try await self.perform(.notifyRoom, in: room.channel, room.room, details, by: moderator) {
            () throws(RequestError) in
            (.notified(try await self.rooms.notify(Notice(text: text), in: room, by: moderator.sender)), isDone: true)
        }
    }

    /// - Throws: `banned`, `invalid_field`, `storage_unavailable`.
    package func notify(
        _ text: String,
        in channel: ChannelID,
        by moderator: Moderator
    ) async throws(RequestError) -> ModerationReceipt {
        try ModerationCheck.notice(text)
        let details = [JSONTree.Field("text", .string(text))]
        return try await self.perform(.notifyChannel, in: channel, nil, details, by: moderator) {
            (.notified(await self.rooms.notify(Notice(text: text), in: channel, by: moderator.sender)), isDone: true)
        }
    }

    private func perform(
        _ action: AuditAction,
        in channel: ChannelID,
        _ room: RoomName?,
        _ details: [JSONTree.Field],
        by moderator: Moderator,
        _ act: () async throws(RequestError) -> (receipt: ModerationReceipt, isDone: Bool)
    ) async throws(RequestError) -> ModerationReceipt {
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        try self.checkStanding(of: moderator, in: channel, room)
        let target = room.map { "\(RoomKey(channel: channel, room: $0))" } ?? channel.text
        let entry = moderator.entry(action, target, details, time: self.clock())
        let (receipt, isDone) = try await self.noted(entry, act)
        if isDone { self.done(action, in: channel, room) }
        return receipt
    }
}

extension AffectedMember {
    fileprivate var details: [JSONTree.Field] {
        .present("client_id", self.client?.text) + .present("user", self.user) + .present("name", self.name)
    }
}
