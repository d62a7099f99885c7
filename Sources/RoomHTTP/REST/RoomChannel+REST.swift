package import RoomCore

extension RoomChannel: RESTChannel {
    package func isSecret(_ text: String, now: Int64) -> Bool { self.tokens.isSecret(text, now: now) }
}
