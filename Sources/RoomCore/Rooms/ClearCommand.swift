package import RoomModel

/// All messages of a room are to go, and it begins anew.
package struct ClearCommand: Equatable, Sendable {
    package var origin: Origin
    /// The moderator or administrator who clears it.
    package var sender: Sender

    package init(origin: Origin, sender: Sender) {
        self.origin = origin
        self.sender = sender
    }
}
