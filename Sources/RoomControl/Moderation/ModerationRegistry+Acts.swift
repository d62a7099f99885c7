package import RoomCore
package import RoomModel

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
        case .kick(let client, let reason):
            try await self.kick(client, from: room, reason: reason, by: moderator)
        case .impose(let kind, let subject, let reason, let seconds):
            let key = Sanction.Key(kind, of: subject, in: room.room)
            _ = try await self.impose(key, in: room.channel, reason: reason, seconds: seconds, by: moderator)
        case .lift(let kind, let subject):
            try await self.lift(Sanction.Key(kind, of: subject, in: room.room), in: room.channel, by: moderator)
        case .lock(let reason):
            let change = RoomRulesPatch(isLocked: .set(true), lockReason: .set(reason))
            _ = try await self.change(change, of: room, by: moderator)
        case .unlock:
            _ = try await self.change(RoomRulesPatch(isLocked: .set(false)), of: room, by: moderator)
        case .slowMode(let seconds):
            let change = RoomRulesPatch(slowMode: .set(seconds == 0 ? nil : seconds))
            _ = try await self.change(change, of: room, by: moderator)
        case .limitMembers(let count):
            let change = RoomRulesPatch(memberLimit: .set(count == 0 ? nil : count))
            _ = try await self.change(change, of: room, by: moderator)
        case .redact(let message, let reason):
            return try await self.redact(message, in: room, reason: reason, by: moderator)
        case .clear: return try await self.clear(room, by: moderator)
        case .notice(let text): return try await self.notify(text, in: room, by: moderator)
        }
        return .done
    }
}
