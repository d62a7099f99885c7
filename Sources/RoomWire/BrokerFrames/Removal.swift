package import RoomModel

/// `removed`: this client is not in the room any more, and not because it has left.
package struct Removal: Equatable, Sendable {
    package let room: RoomName
    /// For people.
    package let reason: String
    /// A word of the protocol's; older brokers have none.
    package let code: String?

    package init(room: RoomName, reason: String, code: String? = nil) {
        self.room = room
        self.reason = reason
        self.code = code
    }
}
