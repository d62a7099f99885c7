/// A request that cannot be done: the code, a text that says what was wrong and what would be right, and what the error
/// frame has to name so that the client knows which request it was.
package struct RequestError: Error, Hashable, Sendable {
    package var code: Code
    package var text: String
    /// The `callback` of the request, where it could be read.
    package var callback: Int64?
    /// Named in the error about a publish without a callback.
    package var room: RoomName?
    package var messageID: UniqueID?
    package var retryAfterMilliseconds: Int?
    /// The answer to a handshake says "no `client_id`", whatever is wrong with it.
    package var isAboutHandshake: Bool

    package init(
        _ code: Code,
        _ text: String,
        callback: Int64? = nil,
        room: RoomName? = nil,
        messageID: UniqueID? = nil,
        retryAfterMilliseconds: Int? = nil,
        isAboutHandshake: Bool = false
    ) {
        self.code = code
        self.text = text
        self.callback = callback
        self.room = room
        self.messageID = messageID
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.isAboutHandshake = isAboutHandshake
    }
}
