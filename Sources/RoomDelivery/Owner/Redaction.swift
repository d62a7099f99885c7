import RoomCore
import RoomModel

/// A message that somebody wants redacted, until it is.
struct Redaction {
    var message: MessageReference
    /// For people.
    var reason: String?
    /// The sender of the redaction.
    var sender: Sender
    /// Called once, on the loop of the room's owner.
    var completion: (Result<ModerationReceipt, RequestError>) -> Void

    /// A message of the log that can be redacted, or could.
    struct Target {
        var kind: EntryKind
        var epoch: Epoch
        /// The room's newest message when it was looked up.
        var newest: UInt64
        /// The tombstone of the message as it is, or was.
        var tombstone: Tombstone
        /// As `LogEntry.user`.
        var user: String?
    }
}
