import NIOCore
import RoomModel

/// Replies and errors.
extension BrokerFrameReader {
    func reply(callback: Int64) throws(BrokerFrameError) -> Reply {
        Reply(
            callback: callback,
            error: try self.error(),
            id: try self.uniqueID(.id),
            seq: try self.seq(.seq),
            isDuplicate: try self.flag(.duplicate) ?? false,
            line: self.line
        )
    }

    func failure() throws(BrokerFrameError) -> BrokerFrame {
        let error = try self.required(.error, try self.error(), "a string")
        let room = try self.string(.room).map { RoomName($0) }
        return .failure(error, room: room, messageID: try self.uniqueID(.messageID))
    }

    /// The messages of a page of history. What newer brokers may store besides messages is left out.
    func storedMessages() throws(BrokerFrameError) -> [DeliveredMessage] {
        var messages: [DeliveredMessage] = []
        for object in try self.objects(.messages) {
            let message = try Self.read(object, nestingLimit: .max) { reader throws(BrokerFrameError) in
                try reader.storedMessage()
            }
            if let message { messages.append(message) }
        }
        return messages
    }

    private func storedMessage() throws(BrokerFrameError) -> DeliveredMessage? {
        let place = try self.required(.type, self.value(.type), "\"publish\"")
        guard let type: BrokerFrameType = try self.word(at: place, .type), type == .publish else { return nil }
        return try self.about("stored publish").message(isHistory: true)
    }

    private func error() throws(BrokerFrameError) -> ReplyError? {
        guard let text = try self.string(.error) else { return nil }
        return ReplyError(
            code: try self.string(.code) ?? ReplyError.unknownCode,
            text: text,
            retryAfterMilliseconds: try self.integer(.retryAfter, atLeast: 0)
        )
    }
}
