package import NIOCore
package import RoomModel

/// A message on its way into a room.
package struct PublishCommand: Equatable, Sendable {
    package var origin: Origin
    package var sender: Sender
    package var message: ByteBuffer
    package var messageID: UniqueID?
    package var isEphemeral: Bool
    package var echoes: Bool
    /// The author for whom the room's rules hold; `nil`: a moderator, an administrator, or who has the channel's
    /// secret.
    package var author: Author?
    /// The hash of the text that was erased from the log (`RecordErasure`), where `message` stands in its place; by it a repeat is known.
    package var erasedText: UInt64?

    package init(
        origin: Origin,
        sender: Sender,
        message: ByteBuffer,
        messageID: UniqueID? = nil,
        isEphemeral: Bool = false,
        echoes: Bool = true,
        author: Author? = nil
    ) {
        self.origin = origin
        self.sender = sender
        self.message = message
        self.messageID = messageID
        self.isEphemeral = isEphemeral
        self.echoes = echoes
        self.author = author
    }

    /// The bytes that it takes while it waits.
    package var size: Int { self.message.readableBytes + self.sender.json.readableBytes }

    /// The answer where too much waits for the store already.
    package func refusedForTooMuch(in room: RoomName) -> RoomAnswer {
        let error = RequestError(
            .storageUnavailable,
            "too many messages wait to be stored; publish again later",
            retryAfterMilliseconds: 250
        )
        return .refused(self.origin, self.refused(error, in: room))
    }

    /// The error form of an answer to this publish.
    package func refused(_ error: RequestError, in room: RoomName) -> RequestError {
        error.answering(self.origin.callback, aboutPublishTo: room, self.messageID)
    }
}

extension PublishCommand: RecordParts {
    package init(placeholder: ()) { self.init(origin: .blank, sender: .blank, message: ByteBuffer()) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags(
            "flags of a publish",
            self.messageID != nil,
            self.isEphemeral,
            self.echoes,
            self.author != nil,
            self.erasedText != nil
        )
        (self.isEphemeral, self.echoes) = (flags[1], flags[2])
        try visitor.part("origin", &self.origin)
        try visitor.part("sender", &self.sender)
        try visitor.part("message", &self.message)
        try visitor.part("message_id", &self.messageID, if: flags[0])
        try visitor.part("author", &self.author, if: flags[3])
        var erased = self.erasedText.map { Bits(value: $0) }
        try visitor.part("hash of an erased text", &erased, if: flags[4])
        self.erasedText = erased?.value
    }
}
