import NIOConcurrencyHelpers
package import RoomCore
package import RoomModel

/// `ModeratedRooms` over the shards of this process.
extension RoomGateway: ModeratedRooms {
    package func moderationChanged(
        _ moderation: ChannelModeration,
        in channel: ChannelID,
        rooms: Set<RoomName>
    ) async {
        let before = self.moderation.withLockedValue { all in
            defer { all[channel] = moderation }
            return all[channel] ?? ChannelModeration()
        }
        let change = SanctionChange(from: before.sanctions, to: moderation.sanctions)
        for shard in self.shards {
            await withCheckedContinuation { continuation in
                shard.post { shard in
                    shard.moderationChanged(moderation, in: channel, change, rooms: rooms) { continuation.resume() }
                }
            }
        }
        await self.waitForOwners()
    }

    package func affected(_ client: ClientID, in channel: ChannelID, _ room: RoomName?) async -> AffectedMember? {
        if let room {
            let key = RoomKey(channel: channel, room: room)
            return await self.ask(self.owner(of: key)) {
                $0.owner.member(client, key).map { AffectedMember($0.sender) }
            }
        }
        return await self.askAll { shard in
            let member = shard.connections.connection(of: client, in: channel)?.member
            return member.map { AffectedMember($0.session.identity.sender) }
        }.compactMap(\.self).first
    }

    package func author(of message: MessageReference, in room: RoomKey) async -> AffectedMember? {
        await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                shard.owner.redactions.findAuthor(of: message, in: room) { continuation.resume(returning: $0) }
            }
        }
    }

    package func perform(
        _ act: RoomAct,
        in room: RoomKey,
        by sender: Sender
    ) async throws(RequestError) -> ModerationReceipt {
        let receipt =
            if let client = act.client {
                try await self.takeOut(client, by: act, from: room, sender)
            } else {
                try await self.order(act, in: room, by: sender).get()
            }
        if case .notified = receipt { return receipt }
        await self.settle(room)
        return receipt
    }

    private func takeOut(
        _ client: ClientID,
        by act: RoomAct,
        from room: RoomKey,
        _ sender: Sender
    ) async throws(RequestError) -> ModerationReceipt {
        let owner = self.owner(of: room)
        guard await self.ask(owner, { $0.owner.member(client, room) != nil }) else {
            throw Room.memberNotFound(client, in: room.room)
        }
        _ = await self.askAll { $0.revoke(client, in: room.channel) }
        let result = await self.order(act, in: room, by: sender)
        // in its next turn the owner has told the member's loop
        await self.ask(owner) { _ in }
        _ = await self.askAll { $0.revocationEnded(client, in: room.channel) }
        await self.waitForOwners()
        return try result.get()
    }

    /// Has the room's owner give an act its place in the room's order.
    private func order(
        _ act: RoomAct,
        in room: RoomKey,
        by sender: Sender
    ) async -> Result<ModerationReceipt, RequestError> {
        await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                shard.owner.acts.perform(act, in: room, by: sender) { continuation.resume(returning: $0) }
            }
        }
    }

    package func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool {
        async let elsewhere = self.environment.ordering.sessions?.expel(client, from: channel, reason: reason)
        let wasHere = await self.shards.expel(client, from: channel, reason: reason)
        return await elsewhere ?? false || wasHere
    }

    package func notify(_ notice: Notice, in channel: ChannelID, by sender: Sender) async -> Int {
        guard let first = self.shards.first else { return 0 }
        // one notice: it has the same id for all
        let stamp = await self.ask(first) { $0.context.stamp(by: sender) }
        var reached = 0
        for shard in self.shards {
            reached += await withCheckedContinuation { continuation in
                shard.post { $0.notify(notice, in: channel, stamp: stamp) { continuation.resume(returning: $0) } }
            }
        }
        return reached
    }

    /// Returns when what this broker has applied to a room holds wherever the room is served.
    func settle(_ room: RoomKey) async { await self.environment.ordering.settle(room, among: self.shards) }

    private func waitForOwners() async { await self.shards.waitForOwners() }
}
