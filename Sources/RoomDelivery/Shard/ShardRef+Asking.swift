package import RoomModel

extension ShardRef {
    /// Runs `work` on the shard's loop and gives its result, to a caller that stays where it is (the future of ``ask(_:)`` is awaited on
    /// another thread). Never returns where the loop is shut down.
    package func answer<Value: Sendable>(_ work: @escaping @Sendable (RoomShard) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.post { continuation.resume(returning: work($0)) }
        }
    }
}

/// All shards of a broker.
extension [ShardRef] {
    func askAll<Value: Sendable>(_ work: @escaping @Sendable (RoomShard) -> Value) async -> [Value] {
        var values: [Value] = []
        for shard in self { values.append(await shard.answer(work)) }
        return values
    }

    /// Returns when the rooms' owners have handled what every loop had to tell them: it reaches them in the first round,
    /// and they have handled it before the second.
    package func waitForOwners() async {
        for _ in 0..<2 { _ = await self.askAll { _ in } }
    }

    /// Lets a client of this broker go from the whole channel.
    ///
    /// - Returns: whether it was there, or a session of its.
    package func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool {
        let wasHere = await self.askAll { $0.expel(client, from: channel, reason: reason) }
        let wasOnItsWay = await self.askAll { $0.revocationEnded(client, in: channel) }
        await self.waitForOwners()
        return wasHere.contains(true) || wasOnItsWay.contains(true)
    }
}
