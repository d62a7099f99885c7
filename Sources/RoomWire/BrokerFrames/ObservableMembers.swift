package import NIOCore
package import RoomModel

/// `observable_members`: who is in the room.
package struct ObservableMembers: Equatable, Sendable {
    package let room: RoomName
    /// The JSON objects, see ``SenderObject``; none when there are more members than the broker lists.
    package let members: [ByteBuffer]
    package let count: Int

    package init(room: RoomName, members: [ByteBuffer], count: Int) {
        self.room = room
        self.members = members
        self.count = count
    }
}
