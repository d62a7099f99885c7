package import RoomCore
import RoomDelivery
package import RoomDocuments
import RoomJSON
package import RoomModel

/// Acts on a room and on those who are in it.
extension ModerationRegistry {
    /// Changes a room's rules, and tells the room. A rule that is so already is not noted and not told.
    ///
    /// - Returns: the rules as they are now.
    /// - Throws: `banned`, `invalid_field`, `too_many_sanctions`, `unknown_channel`, `storage_unavailable`.
    package func change(
        _ change: AdminRulesPatch,
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
            _ = try? await self.rooms.perform(.notice(notice), in: room, by: moderator.sender)
        }
        return rules
    }

    /// Performs an act that has a place in the room's order.
    ///
    /// - Throws: `banned`, `member_not_found`, `message_not_found`, `invalid_field`, `unknown_channel`, `storage_unavailable`.
    package func perform(
        _ act: RoomAct,
        in room: RoomKey,
        by moderator: Moderator
    ) async throws(RequestError) -> ModerationReceipt {
        try ModerationCheck.act(act)
        let details = await self.details(of: act, in: room)
        return try await self.audited(act.auditAction, in: room.channel, room.room, details, by: moderator) {
            () throws(RequestError) in
            try await self.rooms.perform(act, in: room, by: moderator.sender)
        }
    }

    /// The audit log's details of an act.
    private func details(of act: RoomAct, in room: RoomKey) async -> [JSONTree.Field] {
        let reason = [JSONTree.Field].present("reason", act.reason)
        switch act {
        case .kick(let client, _): return await self.details(of: client, in: room.channel, room.room) + reason
        case .redact(let message, _):
            return [message.field] + (await self.rooms.author(of: message, in: room)?.details ?? []) + reason
        case .clear: return []
        case .notice(let notice): return [.init("text", .string(notice.text))]
        }
    }

    private func details(
        of client: ClientID,
        in channel: ChannelID,
        _ room: RoomName?
    ) async -> [JSONTree.Field] {
        let member = await self.rooms.affected(client, in: channel, room)
        return AffectedMember(client: client, user: member?.user, name: member?.name).details
    }

    /// Ends a member's session in the channel.
    ///
    /// - Throws: `banned`, `member_not_found`, `invalid_field`, `storage_unavailable`.
    package func expel(
        _ client: ClientID,
        from channel: ChannelID,
        reason: String?,
        by moderator: Moderator
    ) async throws(RequestError) {
        try ModerationCheck.act(.kick(client, reason: reason))
        let details = await self.details(of: client, in: channel, nil) + .present("reason", reason)
        _ = try await self.audited(.kick, in: channel, nil, details, by: moderator) { () throws(RequestError) in
            guard await self.rooms.expel(client, from: channel, reason: reason) else {
                let text = "there is no member \(client.text.shown) in the channel \(channel)"
                throw RequestError(.memberNotFound, text)
            }
            return .done
        }
    }

    /// Tells all who are connected to the channel.
    ///
    /// - Throws: `banned`, `invalid_field`, `storage_unavailable`.
    package func notify(
        _ text: String,
        in channel: ChannelID,
        by moderator: Moderator
    ) async throws(RequestError) -> ModerationReceipt {
        let notice = Notice(text: text)
        try ModerationCheck.act(.notice(notice))
        let details = [JSONTree.Field("text", .string(text))]
        return try await self.audited(.notifyChannel, in: channel, nil, details, by: moderator) {
            .notified(await self.rooms.notify(notice, in: channel, by: moderator.sender))
        }
    }

    /// Performs an act in its turn, and notes it in the audit log.
    private func audited(
        _ action: AuditAction,
        in channel: ChannelID,
        _ room: RoomName?,
        _ details: [JSONTree.Field],
        by moderator: Moderator,
        _ act: () async throws(RequestError) -> ModerationReceipt
    ) async throws(RequestError) -> ModerationReceipt {
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        try self.checkStanding(of: moderator, in: channel, room)
        let target = room.map { "\(RoomKey(channel: channel, room: $0))" } ?? channel.text
        let entry = moderator.entry(action, target, details, time: self.clock())
        let (receipt, isDone) = try await self.noted(entry) { () throws(RequestError) in
            let receipt = try await act()
            return (receipt, isDone: !receipt.isRepeat)
        }
        if isDone { self.done(action, in: channel, room) }
        return receipt
    }
}

extension MessageReference {
    fileprivate var field: JSONTree.Field {
        switch self {
        case .id(let id): .init("target_id", .string("\(id)"))
        case .seq(let seq): .init("target_seq", .integer(seq))
        }
    }
}

extension ModerationReceipt {
    /// The message had been redacted before.
    fileprivate var isRepeat: Bool {
        if case .redacted(let receipt) = self { receipt.seq == nil } else { false }
    }
}

extension AffectedMember {
    fileprivate var details: [JSONTree.Field] {
        .present("client_id", self.client?.text) + .present("user", self.user) + .present("name", self.name)
    }
}
