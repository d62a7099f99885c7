package import RoomModel

/// A redaction on its way into its room: the message was looked up before.
package struct RedactCommand: Equatable, Sendable {
    package var origin: Origin
    /// The sender of the redaction.
    package var sender: Sender
    /// For people.
    package var reason: String?
    /// The log in which the message was found.
    package var epoch: Epoch
    /// The room's newest message then.
    package var newest: UInt64
    /// The tombstone that is to be in the message's place.
    package var tombstone: Tombstone

    package init(
        origin: Origin,
        sender: Sender,
        reason: String?,
        epoch: Epoch,
        newest: UInt64,
        tombstone: Tombstone
    ) {
        self.origin = origin
        self.sender = sender
        self.reason = reason
        self.epoch = epoch
        self.newest = newest
        self.tombstone = tombstone
    }
}
