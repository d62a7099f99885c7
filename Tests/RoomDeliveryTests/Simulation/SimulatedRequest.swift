/// What a simulated client has asked, until it is answered.
enum SimulatedRequest {
    case handshake(resumed: String?)
    case subscribe(String, since: SeenRoom?, presence: Bool?)
    case unsubscribe(String)
    case publish(Publication)
    case members(String)
    case authenticate(end: Int64, changes: Int)

    struct Publication {
        var room: String
        var text: String
        /// The client's own id for it.
        var messageID: String?
        var isSilent: Bool

        var fields: String {
            let id = self.messageID.map { ",\"message_id\":\"\($0)\"" } ?? ""
            let echo = self.isSilent ? ",\"echo\":false" : ""
            return "\"type\":\"publish\",\"room\":\"\(self.room)\",\"message\":\"\(self.text)\"\(id)\(echo)"
        }
    }

    func mayBeRefused(with code: String) -> Bool {
        switch self {
        // the channel can be deleted while it is asked for
        case .handshake: ["banned", "unknown_channel", "too_many_connections"].contains(code)
        case .subscribe:
            [
                "storage_unavailable", "permission_denied", "banned", "kicked", "too_many_members",
                "handshake_required", "authentication_required", "token_expired", "too_many_rooms", "rate_limited",
            ].contains(code)
        case .publish:
            [
                "storage_unavailable", "permission_denied", "banned", "muted", "room_locked", "rate_limited",
                "handshake_required", "authentication_required", "token_expired", "too_many_rooms",
                "message_too_large",
            ].contains(code)
        case .authenticate: ["banned", "handshake_required", "token_invalid", "token_expired"].contains(code)
        // it was taken out meanwhile
        case .unsubscribe, .members: true
        }
    }
}
