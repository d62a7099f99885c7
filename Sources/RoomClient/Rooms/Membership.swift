import RoomModel

/// That an app is in a room: held by the `Room` and by whoever reads its feeds. When the last one lets go, the room is left.
final class Membership: Sendable {
    let room: RoomName
    /// Tells this stay from a later one in the same room.
    let membershipID: UInt64
    let client: RoomClient
    let board: RoomBoard
    let messages: Feed
    let events: Feed

    init(_ room: RoomName, membershipID: UInt64, client: RoomClient, board: RoomBoard, messages: Feed, events: Feed) {
        self.room = room
        self.membershipID = membershipID
        self.client = client
        self.board = board
        self.messages = messages
        self.events = events
    }

    deinit {
        let (room, membershipID) = (self.room, self.membershipID)
        self.client.core.post { $0.leave(room, membershipID: membershipID, waiter: nil) }
    }
}
