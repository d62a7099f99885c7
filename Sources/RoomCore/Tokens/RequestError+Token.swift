import RoomModel

extension RequestError {
    /// The token is not one that lets anybody in; the text says what would be right, and nothing of what is in the token.
    static func token(_ text: String) -> RequestError { RequestError(.tokenInvalid, text) }
}
