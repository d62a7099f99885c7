import NIOCore
import RoomModel
import RoomWire

/// An event of a room, before it has the type of the room.
enum IncomingEvent: Sendable, Equatable {
    case message(IncomingMessage)
    case members([Member])
    case joined(Member)
    case left(Member)
    case updated(Member)
    case gap(RoomGap)
    case redacted(RoomRedaction)
    /// All messages are deleted; the room continues from this position.
    case cleared(Position, by: MessageSender)
    case notice(ModeratorNotice)
    case muteChanged(Mute?)

    /// The approximate memory that it takes, in bytes.
    var size: Int {
        switch self {
        case .message(let message): message.json.buffer.readableBytes + Self.overhead
        case .members(let members): members.reduce(Self.overhead) { $0 + Self.size(of: $1) }
        case .joined(let member), .left(let member), .updated(let member): Self.size(of: member)
        case .notice(let notice): notice.text.utf8.count + Self.overhead
        case .gap, .redacted, .cleared, .muteChanged: Self.overhead
        }
    }

    /// The place in the room's log; `nil` if it has none.
    var seq: UInt64? {
        switch self {
        case .message(let message): message.seq
        case .redacted(let redaction): redaction.position.seq
        case .members, .joined, .left, .updated, .gap, .cleared, .notice, .muteChanged: nil
        }
    }

    private static func size(of member: Member) -> Int {
        (member.clientData?.buffer.readableBytes ?? 0) + (member.authData?.buffer.readableBytes ?? 0) + self.overhead
    }

    /// Approximately the memory of the fields around a message.
    private static let overhead = 128
}

extension IncomingEvent {
    /// Copies the entry out of the read buffer.
    init(_ entry: StoredEntry, epoch: Epoch?, isHistory: Bool, senders: inout SenderCache) {
        self =
            switch entry {
            case .message(let message):
                .message(IncomingMessage(message, epoch: epoch, isHistory: isHistory, senders: &senders))
            case .redaction(let event): .redacted(RoomRedaction(event, epoch: epoch))
            }
    }
}

/// A message of a room, copied out of the read buffer.
struct IncomingMessage: Sendable, Equatable {
    let id: UniqueID
    /// `nil` for an ephemeral message.
    let position: Position?
    let sender: MessageSender
    let json: JSON
    let isHistory: Bool
    let isRedacted: Bool

    var seq: UInt64? { self.position?.seq }

    /// `nil` if it is a message that the app has published.
    var signal: MemberSignal? {
        guard self.position == nil, case .member = self.sender else { return nil }
        return MemberSignal(self.json)
    }
}

extension IncomingMessage {
    /// Copies the message out of the read buffer that it came in.
    init(_ message: DeliveredMessage, epoch: Epoch?, isHistory: Bool, senders: inout SenderCache) {
        self.init(
            id: message.id,
            position: message.seq.map { Position(epoch: epoch, seq: $0) },
            sender: senders.sender(message.sender),
            json: JSON(copying: message.message),
            isHistory: isHistory,
            isRedacted: message.isRedacted
        )
    }

    private static let null = ByteBuffer(string: "null")

    /// The message after its redaction.
    var tombstone: IncomingMessage {
        IncomingMessage(
            id: self.id,
            position: self.position,
            sender: self.sender,
            json: JSON(unchecked: Self.null),
            isHistory: self.isHistory,
            isRedacted: true
        )
    }
}

/// The senders of the last messages: a member mostly has the same data in all of its messages.
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
