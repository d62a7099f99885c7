package import RoomModel

/// `removed`: this client is not in the room any more, and not because it has left.
package struct Removal: Equatable, Sendable {
    package let room: RoomName
    /// For people.
    package let reason: String

    package init(room: RoomName, reason: String) {
        self.room = room
        self.reason = reason
    }
}
