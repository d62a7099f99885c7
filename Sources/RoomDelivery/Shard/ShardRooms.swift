import RoomModel

/// A room that can be in `ShardRooms`.
protocol ListedRoom: AnyObject {
    var key: RoomKey { get }
    /// Its place in the list, which sets it.
    var listIndex: Int { get set }
    var use: RoomUse { get set }
}

/// The rooms of one event loop: by key, and in a list, so that all of them can be looked at some at a time, while others
/// come and go.
struct ShardRooms<Element: ListedRoom> {
    private var byKey: [RoomKey: Element] = [:]
    private var list: [Element] = []

    var count: Int { self.list.count }
    /// In no order.
    var all: [Element] { self.list }

    subscript(key: RoomKey) -> Element? { self.byKey[key] }

    /// Takes a room in, in the place of one with the same key.
    mutating func add(_ room: Element) {
        self.remove(room.key)
        room.listIndex = self.list.count
        self.list.append(room)
        self.byKey[room.key] = room
    }

    mutating func remove(_ key: RoomKey) {
        guard let room = self.byKey.removeValue(forKey: key) else { return }
        let last = self.list.removeLast()
        guard last !== room else { return }
        last.listIndex = room.listIndex
        self.list[room.listIndex] = last
    }

    /// A look at all rooms, beginning now.
    var sweep: RoomSweep { RoomSweep(left: self.list.count) }

    /// The next rooms of a look at all of them: those that came after its beginning may be left out, and some may come twice.
    func next(_ count: Int, of sweep: inout RoomSweep) -> ArraySlice<Element> {
        let end = min(sweep.left, self.list.count)
        sweep.left = max(0, end - count)
        return self.list[sweep.left..<end]
    }
}

/// How far a look at all rooms of an event loop has come: from the newest to the oldest, because the last one of the list
/// takes the place of one that goes.
struct RoomSweep: Sendable {
    fileprivate(set) var left: Int
    var isDone: Bool { self.left == 0 }
}
