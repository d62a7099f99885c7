package import RoomModel

/// A room's members at one moment. To take it costs the room's event loop nothing; it is read elsewhere.
package struct MemberTable: Sendable {
    private let members: RoomMembers

    package init() {
        self.members = RoomMembers()
    }

    package init(_ room: Room) {
        self.members = room.members
    }

    package var count: Int { self.members.count }
    /// In the order of joining.
    package var clients: [ClientID] { self.members.senders.compactMap(\.clientID) }
}
