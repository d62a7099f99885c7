import RoomClient

extension RoomClientError {
    /// What was wrong, and what would help whoever gave the command. No token is ever in it.
    var advice: String {
        switch self.code {
        case .authenticationRequired: "\(self.message); give one with --token-file FILE, or in ROOMLINE_TOKEN"
        case .tokenExpired: "\(self.message); put a new one into the token file, or into ROOMLINE_TOKEN"
        case .tokenInvalid: "the token in the token file, or in ROOMLINE_TOKEN, is refused: \(self.message)"
        case .unknownChannel: "\(self.message); say with --channel which one you mean"
        case .kicked: "a moderator has taken you out: \(self.message)"
        default: self.message
        }
    }
}
