import RoomJSON
package import RoomModel

/// The acts of moderators in a room, each at its place in the room's order.
extension Room {
    mutating func adopt(_ rules: RoomRules) {
        self.rules = rules
        if rules.slowMode == nil { self.slowMode = SlowMode() }
    }

    /// Takes the member's connection from the subscribers.
    ///
    /// - Returns: the connection; `nil` where the member has none.
    mutating func detach(_ client: ClientID) -> ConnectionRef? {
        guard let member = self.members[client], let connection = member.connection else { return nil }
        self.subscribers.remove(connection, member.wireFormat, asks: member.asksPresence)
        return connection
    }

    package static func memberNotFound(_ client: ClientID, in room: RoomName) -> RequestError {
        RequestError(.memberNotFound, "there is no member \(client.text.shown) in the room \(room.text.shown)")
    }

    /// Why the room's rules do not let a message in; where they do, slow-mode has counted it.
    ///
    /// - Parameters:
    ///   - author: `nil`: who is exempt.
    ///   - turn: the batch's.
    mutating func refusal(of author: Author?, isEphemeral: Bool, in turn: RoomTurn) -> RequestError? {
        guard let author else { return nil }
        if self.rules.isLocked {
            let reason = self.rules.lockReason.map { ": \($0)" } ?? ""
            return RequestError(.roomLocked, "the room is locked\(reason); publish again when it is unlocked")
        }
        guard let seconds = self.rules.slowMode, !isEphemeral,
            let wait = self.slowMode.take(author, seconds: seconds, now: turn.steadyMilliseconds)
        else { return nil }
        return RequestError(
            .rateLimited,
            "the room is in slow mode: each member must wait \(seconds) seconds between two messages",
            retryAfterMilliseconds: wait
        )
    }

    /// A moderator's limit does not go beyond the channel's.
    func memberLimit(for join: JoinCommand) -> Int {
        let channel = self.settings.memberLimit ?? .max
        return join.isModerator ? channel : min(channel, self.rules.memberLimit ?? .max)
    }
}
