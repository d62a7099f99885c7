package import RoomCore
import RoomDelivery
import RoomJSON
package import RoomModel

/// Pruning takes the same turn as acts of moderation, which may be about the same messages.
extension ModerationRegistry {
    /// - Parameters:
    ///   - room: `nil`: some rooms of the channel.
    ///   - isNoted: whether this is a part of what the audit log has already.
    ///   - prune: deletes some of the messages, and says whether there were any.
    /// - Throws: what `prune` throws; `storage_unavailable` where the entry cannot be stored, and then nothing is deleted.
    package func prune<Receipt: Sendable>(
        _ bound: PruneBound,
        in channel: ChannelID,
        _ room: RoomName?,
        by moderator: Moderator,
        isNoted: Bool,
        _ prune: () async throws(RequestError) -> (receipt: Receipt, isDone: Bool)
    ) async throws(RequestError) -> Receipt {
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        guard !isNoted else { return try await prune().receipt }
        let target = room.map { "\(RoomKey(channel: channel, room: $0))" } ?? channel.text
        let entry = moderator.entry(.prune, target, bound.details, time: self.clock())
        let (receipt, isDone) = try await self.noted(entry, prune)
        if isDone { self.done(.prune, in: channel, room) }
        return receipt
    }
}

extension PruneBound {
    fileprivate var details: [JSONTree.Field] {
        [
            self.count.map { .init("keep", .integer($0)) },
            self.ageMilliseconds.map { .init("older_than_seconds", .number("\(Double($0) / 1_000)")) },
        ].compactMap(\.self)
    }
}
