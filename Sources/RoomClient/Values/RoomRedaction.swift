public import Foundation
import RoomModel

/// That a message was taken away.
public struct RoomRedaction: Sendable, Hashable, Identifiable {
    /// The broker's id of the redaction.
    public let id: UUID
    /// Where the room's log stands after the redaction, which has a place of its own.
    public let position: RoomPosition
    /// The ``RoomMessage/id`` of the message.
    public let messageID: UUID
    /// The ``RoomMessage/seq`` of the message.
    public let messageSeq: UInt64
    /// Why, for people.
    public let reason: String?
    /// Who did it.
    public let sender: MessageSender

    /// When it was done, by the broker's clock.
    public let time: Date
}

extension RoomRedaction {
    init(_ redaction: IncomingRedaction) {
        self.init(
            id: UUID(redaction.id),
            position: RoomPosition(redaction.position),
            messageID: UUID(redaction.targetID),
            messageSeq: redaction.targetSeq,
            reason: redaction.reason,
            sender: redaction.sender,
            time: Date(redaction.id)
        )
    }
}
