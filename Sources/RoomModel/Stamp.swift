/// What the delivery module puts on every frame that goes out (protocol §2): the id, the time and the sender.
package struct Stamp: Equatable, Sendable {
    /// UUIDv7, strictly increasing within a room.
    package let id: UniqueID
    package let sender: Sender

    package init(id: UniqueID, sender: Sender) {
        self.id = id
        self.sender = sender
    }

    /// Unix seconds: those of the id.
    package var timestamp: Int64 { self.id.milliseconds / 1_000 }
}
