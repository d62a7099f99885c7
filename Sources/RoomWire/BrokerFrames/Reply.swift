package import NIOCore
package import RoomModel

/// The broker's answer to the request with this callback. Only the caller knows the kind of the request, and reads the answer
/// with the function for that kind. Most answers are receipts, so their fields are read with the frame; the other functions
/// read the line again.
package struct Reply: Equatable, Sendable {
    package let callback: Int64
    package let error: ReplyError?
    let id: UniqueID?
    let seq: UInt64?
    let isDuplicate: Bool
    let line: ByteBuffer
}

/// The reason for which the broker refused a request.
package struct ReplyError: Error, Hashable, Sendable {
    /// Stands in for the code if the error has none, as those of Scaledrone.
    package static let unknownCode = "unknown"

    /// A word of the protocol's; newer brokers may have newer ones.
    package let code: String
    package let text: String
    package let retryAfterMilliseconds: Int?
}

/// The answer to each kind of request. Look at ``Reply/error`` first: a refused request has no other answer.
extension Reply {
    /// The answer to a publish.
    package func receipt() throws(BrokerFrameError) -> Receipt {
        guard let id = self.id else { throw BrokerFrameReader.missing(.id, "a UUID", of: "reply to a publish") }
        return Receipt(id: id, seq: self.seq, isDuplicate: self.isDuplicate)
    }

    package func handshake() throws(BrokerFrameError) -> HandshakeReply {
        try self.read("reply to a handshake") { reader throws(BrokerFrameError) in
            HandshakeReply(
                clientID: try reader.requiredString(.clientID),
                resumeToken: try reader.string(.resumeToken),
                resumed: try reader.flag(.resumed),
                requiresAuthentication: try reader.flag(.requireAuth) ?? false
            )
        }
    }

    package func subscription() throws(BrokerFrameError) -> SubscribeReply {
        try self.read("reply to a subscribe") { reader throws(BrokerFrameError) in
            SubscribeReply(
                epoch: try reader.string(.epoch).flatMap { Epoch($0) },
                seq: self.seq ?? 0,
                recovered: try reader.flag(.recovered),
                presence: try reader.flag(.presence)
            )
        }
    }

    package func history() throws(BrokerFrameError) -> HistoryReply {
        try self.read("reply to a history query") { reader throws(BrokerFrameError) in
            HistoryReply(
                entries: try reader.storedEntries(),
                gap: try reader.historyGap(),
                more: try reader.requiredFlag(.more)
            )
        }
    }

    /// The answer to a moderator's clearing: where the room stands.
    package func clearing() throws(BrokerFrameError) -> Position {
        try self.read("reply to a clearing") { reader throws(BrokerFrameError) in
            Position(epoch: Epoch(try reader.requiredString(.epoch)), seq: try reader.requiredSeq(.seq))
        }
    }

    /// The answer to the redaction of all messages of somebody: how many they were, and where the next request goes on.
    package func redactedMessages() throws(BrokerFrameError) -> (count: Int, next: UInt64?) {
        try self.read("reply to a redaction") { reader throws(BrokerFrameError) in
            let count: Int? = try reader.integer(.memberCount, atLeast: 0)
            return (count ?? 0, try reader.seq(.afterSeq))
        }
    }

    /// The answer to a moderator who asks what is set in a room.
    package func moderationState() throws(BrokerFrameError) -> ModerationStateReply {
        try self.read("reply to a moderator") { reader throws(BrokerFrameError) in
            ModerationStateReply(
                rules: try reader.object(.rules),
                sanctions: try reader.objects(.sanctions),
                total: try reader.integer(.total, atLeast: 0) ?? 0,
                author: try reader.objectIfPresent(.author)
            )
        }
    }

    private func read<Value>(
        _ subject: StaticString,
        _ body: (BrokerFrameReader) throws(BrokerFrameError) -> Value
    ) throws(BrokerFrameError) -> Value {
        // It was checked when the reply was decoded.
        try BrokerFrameReader.read(self.line, nestingLimit: .max) { reader throws(BrokerFrameError) in
            try body(reader.about(subject))
        }
    }
}

/// The rules of a room, its bans and mutes, and the author of a message, as their bytes.
package struct ModerationStateReply: Equatable, Sendable {
    package let rules: ByteBuffer
    package let sanctions: [ByteBuffer]
    package let total: Int
    /// The author of the message that was asked about.
    package let author: ByteBuffer?
}
