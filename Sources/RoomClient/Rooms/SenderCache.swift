import NIOCore
import RoomWire

/// The senders whose messages came last: a room's members say much the same of themselves in each message.
struct SenderCache {
    private static let limit = 64
    private var senders: [ByteBuffer: MessageSender] = [:]

    mutating func sender(_ json: ByteBuffer) -> MessageSender {
        if let sender = self.senders[json] { return sender }
        let sender = MessageSender(json)
        if self.senders.count >= Self.limit { self.senders.removeAll(keepingCapacity: true) }
        self.senders[JSON(copying: json).buffer] = sender
        return sender
    }
}
