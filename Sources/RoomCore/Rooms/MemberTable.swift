package import RoomModel

/// A room's members at one moment. To take it costs the room's event loop nothing; it is sorted elsewhere.
package struct MemberTable: Sendable {
    private let members: [ClientID: Room.Member]

    package init() {
        self.members = [:]
    }

    package init(_ room: Room) {
        self.members = room.members
    }

    package var count: Int { self.members.count }
    /// In no order.
    package var clients: some Collection<ClientID> { self.members.values.lazy.compactMap(\.sender.clientID) }
    /// In the order of joining.
    package var clientsByJoining: [ClientID] {
        self.members.values.sorted { $0.number < $1.number }.compactMap(\.sender.clientID)
    }
}
