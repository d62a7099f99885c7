package import NIOCore
package import RoomModel

/// A message of a room, live or from the history. The id contains the time.
package struct DeliveredMessage: Equatable, Sendable {
    package let room: RoomName
    package let id: UniqueID
    /// `nil` for an ephemeral message.
    package let seq: UInt64?
    /// The JSON object, see ``SenderObject``. Like `message`, it is a slice of the line: copy what must live longer.
    package let sender: ByteBuffer
    /// The JSON value, byte for byte.
    package let message: ByteBuffer
    /// It came in a `history_message` or in the reply to a history query.
    package let isHistory: Bool
    /// A moderator has redacted the message; this is its tombstone.
    package let isRedacted: Bool
}

/// An entry of a room's log, live or from the history.
package enum StoredEntry: Equatable, Sendable {
    /// A `publish` or a `history_message`.
    case message(DeliveredMessage)
    case redaction(RedactionEvent)

    package var room: RoomName {
        switch self {
        case .message(let message): message.room
        case .redaction(let event): event.room
        }
    }

    /// `nil` for an ephemeral message.
    package var seq: UInt64? {
        switch self {
        case .message(let message): message.seq
        case .redaction(let event): event.seq
        }
    }
}
