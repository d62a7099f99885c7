import RoomCore
import RoomModel

/// The readers that follow the rooms of an owner. A reader that has let go of its watch is gone.
struct RoomWatches {
    private struct Reader {
        weak var watch: RoomWatch?
    }

    private var readers: [RoomKey: [Reader]] = [:]

    func hasReaders(of room: RoomKey) -> Bool { !self.readers.isEmpty && self.readers[room] != nil }

    mutating func add(_ watch: RoomWatch, of room: RoomKey) {
        for key in self.readers.keys { self.removeGone(of: key) }
        self.readers[room, default: []].append(Reader(watch: watch))
    }

    mutating func tell(_ room: RoomKey, _ tell: (RoomWatch) -> Void) {
        guard self.hasReaders(of: room) else { return }
        self.removeGone(of: room)
        self.readers[room]?.compactMap(\.watch).forEach(tell)
    }

    mutating func end(in channel: ChannelID) {
        for room in self.readers.keys where room.channel == channel {
            self.tell(room) { $0.end() }
            self.readers[room] = nil
        }
    }

    private mutating func removeGone(of room: RoomKey) {
        self.readers[room]?.removeAll { $0.watch == nil }
        if self.readers[room]?.isEmpty ?? true { self.readers[room] = nil }
    }
}
