import RoomCore
import RoomModel

/// The token that one member can be resumed with, and the rooms that are left of the session that it has resumed
/// itself.
struct Resumption {
    /// The token of its own session; `nil`: nobody can resume it.
    private(set) var token: String?
    /// Rooms of the resumed session that are left when its grace period is over, unless they are subscribed again.
    private var lingering = InsertionOrderedDictionary<RoomName, Void>()

    init(token: String? = nil, lingering: [RoomName] = []) {
        self.token = token
        self.linger(lingering)
    }

    var hasLingeringRooms: Bool { !self.lingering.isEmpty }
    var lingeringRooms: Int { self.lingering.count }

    /// - Returns: the token that nobody is to resume the session with any more.
    mutating func takeToken() -> String? { self.token.take() }

    mutating func subscribed(_ room: RoomName) {
        self.lingering[room] = nil
    }

    /// Its own rooms wait for the next resume.
    mutating func linger(_ rooms: some Sequence<RoomName>) {
        for room in rooms { self.lingering[room] = () }
    }

    /// Takes out the lingering rooms of which this holds, in the order of subscribing.
    mutating func takeRooms(where isTaken: (RoomName) -> Bool = { _ in true }) -> [RoomName] {
        let taken = self.lingering.keys.filter(isTaken)
        for room in taken { self.lingering[room] = nil }
        return taken
    }
}
