import RoomModel

/// The membership of the app in a room, held by the `Room` and by the readers of its feeds. When the last reference is gone, the
/// client leaves the room.
final class Membership: Sendable {
    let room: RoomName
    /// Tells this membership from a later one in the same room.
    let membershipID: UInt64
    let client: RoomClient
    let state: SharedRoomState
    let messages: Feed
    let events: Feed

    init(_ room: RoomName, id: UInt64, client: RoomClient, state: SharedRoomState, messages: Feed, events: Feed) {
        self.room = room
        self.membershipID = id
        self.client = client
        self.state = state
        self.messages = messages
        self.events = events
    }

    /// This membership without its effect on the room when nobody holds it.
    var ref: MembershipRef { MembershipRef(room: self.room, membershipID: self.membershipID, state: self.state) }

    deinit {
        let (room, membershipID) = (self.room, self.membershipID)
        self.client.core.post { $0.rooms.leave(room, membershipID: membershipID, waiter: nil) }
    }
}

/// Names one membership, for calls that work only as long as it lasts.
struct MembershipRef: Sendable {
    let room: RoomName
    let membershipID: UInt64
    let state: SharedRoomState
}
