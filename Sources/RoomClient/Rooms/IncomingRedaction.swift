import RoomModel
import RoomWire

/// A redaction as it stands in the room's log.
struct IncomingRedaction: Sendable, Equatable {
    let id: UniqueID
    let position: Position
    let targetSeq: UInt64
    let targetID: UniqueID
    let reason: String?
    let sender: MessageSender
}

extension IncomingRedaction {
    /// Copies what is to be kept out of the read buffer.
    init(_ event: RedactionEvent, epoch: Epoch?) {
        self.init(
            id: event.id,
            position: Position(epoch: epoch, seq: event.seq),
            targetSeq: event.targetSeq,
            targetID: event.targetID,
            reason: event.reason,
            sender: MessageSender(event.sender)
        )
    }
}
