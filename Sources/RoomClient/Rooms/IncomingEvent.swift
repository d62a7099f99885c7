import NIOCore
import RoomModel
import RoomWire

/// What happened in a room, before it has the room's type.
enum IncomingEvent: Sendable, Equatable {
    case message(IncomingMessage)
    case members([Member])
    case joined(Member)
    case left(Member)
    case updated(Member)
    case gap(RoomGap)
    case redacted(IncomingRedaction)
    /// The room begins anew, at this place.
    case cleared(Position, by: MessageSender)
    case notice(ModeratorNotice)
    case muted(Mute)
    case unmuted

    /// What it costs to keep.
    var size: Int {
        switch self {
        case .message(let message): message.json.buffer.readableBytes + Self.overhead
        case .members(let members): members.reduce(Self.overhead) { $0 + Self.size(of: $1) }
        case .joined(let member), .left(let member), .updated(let member): Self.size(of: member)
        case .notice(let notice): notice.text.utf8.count + Self.overhead
        case .gap, .redacted, .cleared, .muted, .unmuted: Self.overhead
        }
    }

    /// The place in the room's log of what has one.
    var position: Position? {
        switch self {
        case .message(let message): message.position
        case .redacted(let redaction): redaction.position
        case .members, .joined, .left, .updated, .gap, .cleared, .notice, .muted, .unmuted: nil
        }
    }

    var seq: UInt64? { self.position?.seq }

    private static func size(of member: Member) -> Int {
        (member.clientData?.buffer.readableBytes ?? 0) + (member.authData?.buffer.readableBytes ?? 0) + self.overhead
    }

    /// About what the fields around a message take.
    private static let overhead = 128
}

/// A message of a room, in memory of its own.
struct IncomingMessage: Sendable, Equatable {
    let id: UniqueID
    /// `nil` for an ephemeral message.
    let position: Position?
    let sender: MessageSender
    let json: JSON
    let isHistory: Bool
    let isRedacted: Bool

    var seq: UInt64? { self.position?.seq }
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

    /// What is left of the message once a moderator has taken it away.
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
