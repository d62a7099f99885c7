package import RoomModel

/// The reason for which the broker refused a request.
package struct ReplyError: DescribedObject, Error, Hashable, Sendable {
    /// Stands in for the code if the error has none, as those of Scaledrone.
    static let unknownCode = "unknown"

    package private(set) var text: String
    /// A word of the protocol's; newer brokers may have newer ones.
    package private(set) var code: String
    /// The `message_id` of a publish without a `callback`.
    package private(set) var room: RoomName?
    package private(set) var messageID: UniqueID?
    package private(set) var retryAfterMilliseconds: Int?

    init(
        code: String,
        text: String,
        retryAfterMilliseconds: Int?,
        room: RoomName? = nil,
        messageID: UniqueID? = nil
    ) {
        (self.code, self.text, self.retryAfterMilliseconds) = (code, text, retryAfterMilliseconds)
        (self.room, self.messageID) = (room, messageID)
    }

    init(_ error: RequestError) {
        self.init(
            code: error.code.rawValue,
            text: error.text,
            retryAfterMilliseconds: error.retryAfterMilliseconds,
            room: error.room,
            messageID: error.messageID
        )
    }

    package init(placeholder: ()) { self.init(code: "", text: "", retryAfterMilliseconds: nil) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("error", &self.text)
        try visitor.field("code", &self.code, or: Self.unknownCode)
        try visitor.field("room", &self.room)
        try visitor.field("message_id", &self.messageID)
        try visitor.field("retry_after_ms", &self.retryAfterMilliseconds, .atLeast(0))
    }
}
