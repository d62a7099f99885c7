import NIOCore
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

/// The answer to each kind of request. Look at ``Reply/error`` first: a refused request has no other answer.
extension Reply {
    /// The answer to a publish.
    package func receipt() throws(BrokerFrameError) -> Receipt {
        guard let id = self.id else { throw BrokerFrameReader.missing(.id, "a UUID", of: "reply to a publish") }
        return Receipt(id: id, seq: self.seq, isDuplicate: self.isDuplicate)
    }

    package func handshake() throws(BrokerFrameError) -> HandshakeReply { try self.read("reply to a handshake") }

    package func subscription() throws(BrokerFrameError) -> SubscribeReply { try self.read("reply to a subscribe") }

    package func history() throws(BrokerFrameError) -> HistoryReply { try self.read("reply to a history query") }

    package func clearing() throws(BrokerFrameError) -> ClearReply { try self.read("reply to a clearing") }

    package func redactedMessages() throws(BrokerFrameError) -> RedactAllReply { try self.read("reply to a redaction") }

    package func moderationState() throws(BrokerFrameError) -> ModerationStateReply {
        try self.read("reply to a moderator")
    }

    /// The descriptions of the answers.
    static var bodies: [any DescribedObject.Type] {
        [
            ReplyError.self, HandshakeReply.self, SubscribeReply.self, HistoryReply.self, ClearReply.self,
            RedactAllReply.self,
            ModerationStateReply.self,
        ]
    }

    /// The line was checked when the reply was decoded.
    private func read<Answer: DescribedObject>(_ subject: StaticString) throws(BrokerFrameError) -> Answer {
        do throws(FieldFault) {
            return try Answer(checked: self.line, names: BrokerFrameType.fields)
        } catch {
            throw BrokerFrameError(error, in: subject)
        }
    }
}

/// The answer to a publish: the id and the place of the message.
package struct Receipt: Equatable, Sendable {
    package let id: UniqueID
    /// `nil` for an ephemeral message.
    package let seq: UInt64?
    /// The message had been published before; this is the place that it got then.
    package let isDuplicate: Bool
}
