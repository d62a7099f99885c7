import RoomCore
import RoomModel

/// The token that one member can be resumed with, and the rooms that are left of the session that it has resumed
/// itself.
struct Resumption {
    /// The token of its own session; `nil`: nobody can resume it.
    private(set) var token: String?
    /// How often its session was resumed.
    let resumes: UInt32
    /// Rooms of the resumed session that are left when its grace period is over, unless they are subscribed again.
    private var lingering = InsertionOrderedDictionary<RoomName, Void>()
    /// Of these, those that are asked to let the member in again.
    private var rejoining: Set<RoomName> = []
    /// Its own rooms have been told, or are being told, that it lingers.
    private(set) var isLeaving = false

    init(token: String? = nil, resumes: UInt32 = 0, lingering: [RoomName] = []) {
        self.token = token
        self.resumes = resumes
        self.linger(lingering)
    }

    var hasLingeringRooms: Bool { !self.lingering.isEmpty }
    var lingeringRooms: Int { self.lingering.count }

    /// - Returns: the token that nobody is to resume the session with any more.
    mutating func takeToken() -> String? { self.token.take() }

    /// The room is asked to let the member in.
    mutating func asked(_ room: RoomName) {
        guard self.lingering[room] != nil else { return }
        self.lingering[room] = nil
        self.rejoining.insert(room)
    }

    mutating func joined(_ room: RoomName) {
        self.rejoining.remove(room)
    }

    /// The room does not let the member in: it lingers there as before.
    mutating func refused(_ room: RoomName) {
        if self.rejoining.remove(room) != nil { self.lingering[room] = () }
    }

    mutating func leavesInOrder() { self.isLeaving = true }

    /// Its own rooms wait for the next resume.
    mutating func linger(_ rooms: some Sequence<RoomName>) {
        for room in rooms { self.lingering[room] = () }
    }

    /// Takes out the rooms that were not subscribed again, in the order of subscribing.
    mutating func takeRooms() -> [RoomName] {
        defer { self.lingering = InsertionOrderedDictionary() }
        return Array(self.lingering.keys)
    }

    /// Takes out the rooms of which this holds and that the member may linger in for good: also those that have not
    /// answered yet, as they may refuse it.
    mutating func takeRoomsToLeave(where isTaken: (RoomName) -> Bool = { _ in true }) -> [RoomName] {
        let (lingering, rejoining) = (self.lingering.keys.filter(isTaken), self.rejoining.filter(isTaken))
        for room in lingering { self.lingering[room] = nil }
        self.rejoining.subtract(rejoining)
        return lingering + rejoining
    }
}
