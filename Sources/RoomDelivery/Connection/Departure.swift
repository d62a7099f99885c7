import RoomCore
import RoomModel

/// An unsubscribe that is under way: a frame can name thousands of rooms, and is handled in as many turns as it takes.
struct Departure {
    private let rooms: [Result<RoomName, RequestError>]
    let callback: Int64?
    let isMany: Bool
    private var next = 0
    /// The rooms that have not answered yet that the member has left.
    private var unanswered: Set<RoomName> = []

    init(rooms: [Result<RoomName, RequestError>], callback: Int64?, isMany: Bool) {
        self.rooms = rooms
        self.callback = callback
        self.isMany = isMany
    }

    /// All rooms were told.
    var isComplete: Bool { self.next == self.rooms.count }

    var awaitsRooms: Bool { !self.unanswered.isEmpty }

    mutating func awaits(_ room: RoomName) {
        self.unanswered.insert(room)
    }

    /// - Returns: whether the answer of the room was waited for.
    mutating func answered(_ room: RoomName) -> Bool { self.unanswered.remove(room) != nil }

    /// Takes out the next room that is to be left.
    mutating func popNext() -> RoomName? {
        while self.next < self.rooms.count {
            self.next += 1
            if case .success(let room) = self.rooms[self.next - 1] { return room }
        }
        return nil
    }

    /// Rooms that there is nothing to leave of.
    var refusals: Int { self.rooms.count { if case .failure = $0 { true } else { false } } }

    /// The rooms that have not been left yet.
    var rest: [RoomName] { self.rooms[self.next...].compactMap { try? $0.get() } }

    var replies: some Sequence<RoomReply> {
        self.rooms.lazy.map { room in
            if case .failure(let error) = room {
                RoomReply(room: room, refusal: error)
            } else {
                RoomReply(room: room)
            }
        }
    }
}
