package import RoomCore
import RoomDelivery
import RoomJSON
package import RoomModel

/// Bans and mutes.
extension ModerationRegistry {
    /// Bans or mutes somebody; a sanction of the same key is replaced.
    ///
    /// - Parameters:
    ///   - seconds: `nil`: until it is lifted.
    ///   - isRedacting: notes that the messages of the subject go with it.
    /// - Throws: `banned`, `invalid_field`, `too_many_sanctions`, `unknown_channel`, `storage_unavailable`.
    package func impose(
        _ key: Sanction.Key,
        in channel: ChannelID,
        reason: String?,
        seconds: Int?,
        isRedacting: Bool = false,
        by moderator: Moderator
    ) async throws(RequestError) -> Sanction {
        try ModerationCheck.subject(key.subject)
        try ModerationCheck.reason(reason)
        try ModerationCheck.seconds(seconds)
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        try self.checkStanding(of: moderator, in: channel, key.room)
        let moderation = self.moderation(of: channel)
        if moderation.sanctions[key] == nil {
            try ModerationBounds(moderator).checkSanctions(moderation.sanctions, in: key.room)
        }
        let now = self.clock()
        let sanction = Sanction(
            key: key,
            reason: reason,
            author: moderator.actor,
            created: now,
            // a whole second, so that every text names the same one
            expires: seconds.map { (now + Int64($0) * 1_000 + 999) / 1_000 * 1_000 }
        )
        var name: String?
        if case .client(let client) = key.subject {
            name = await self.rooms.affected(client, in: channel, key.room)?.name
        }
        let details =
            key.details + .present("name", name) + .present("reason", reason)
            + (seconds.map { [.init("seconds", .integer($0))] } ?? [])
            + (isRedacting ? [.init("redact", .bool(true))] : [])
        let entry = moderator.entry(.impose, key.place(in: channel), details, time: now)
        try await self.store { directory throws(ChannelDirectoryError) in
            try directory.set(sanction, in: channel, entry)
        }
        await self.putInEffect(in: channel) { $0.sanctions.set(sanction) }
        self.done(.impose, in: channel, key.room)
        return sanction
    }

    /// - Throws: `sanction_not_found` where none of this key holds, `banned`, `storage_unavailable`.
    package func lift(_ key: Sanction.Key, in channel: ChannelID, by moderator: Moderator) async throws(RequestError) {
        await self.turns.take(channel)
        defer { self.turns.pass(channel) }
        try self.checkStanding(of: moderator, in: channel, key.room)
        let moderation = self.moderation(of: channel)
        let now = self.clock()
        let missing = RequestError(
            .sanctionNotFound,
            "there is no \(key.kind) of this \(key.subject.field) in the \(key.room == nil ? "whole channel" : "room"): "
                + "give the subject and the place with which it was imposed"
        )
        guard let sanction = moderation.sanctions[key], sanction.holds(at: now) else { throw missing }
        let entry = moderator.entry(.lift, key.place(in: channel), key.details, time: now)
        try await self.store(orThrow: missing) { directory throws(ChannelDirectoryError) in
            try directory.lift(key, in: channel, entry)
        }
        await self.putInEffect(in: channel) { $0.sanctions.remove(key) }
        self.done(.lift, in: channel, key.room)
    }
}

extension Sanction.Key {
    /// As the target of an audit entry.
    fileprivate func place(in channel: ChannelID) -> String {
        self.room.map { "\(RoomKey(channel: channel, room: $0))" } ?? channel.text
    }

    fileprivate var details: [JSONTree.Field] {
        [.init("kind", .string(self.kind.rawValue)), .init(self.subject.field, .string(self.subject.text))]
    }
}
