import RoomModel

/// Sessions that a moderator ends while they may be on their way from one event loop to another, to be resumed there.
///
/// A revocation is remembered on every loop before it is forgotten on any. A session that was on its way when the first one
/// heard of it has arrived by then, and was turned away: loops pass on what they are handed in the order of handing.
struct Revocations {
    private struct Revocation {
        /// Revocations of the same session that are under way.
        var count = 0
        var hasMet = false
    }

    private var revocations: [SessionID: Revocation] = [:]

    mutating func begin(_ client: ClientID, in channel: ChannelID) {
        self.revocations[SessionID(channel: channel, client: client), default: Revocation()].count += 1
    }

    /// - Returns: whether a session on its way was met.
    mutating func end(_ client: ClientID, in channel: ChannelID) -> Bool {
        let subject = SessionID(channel: channel, client: client)
        guard var revocation = self.revocations[subject] else { return false }
        revocation.count -= 1
        self.revocations[subject] = revocation.count == 0 ? nil : revocation
        return revocation.hasMet
    }

    /// Whether a session that arrives has been ended.
    mutating func matches(_ client: ClientID, in channel: ChannelID) -> Bool {
        let subject = SessionID(channel: channel, client: client)
        guard self.revocations[subject] != nil else { return false }
        self.revocations[subject]?.hasMet = true
        return true
    }
}
