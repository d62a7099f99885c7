import RoomDocuments
import RoomModel

/// The rooms of one channel in the order of their names' bytes. Changes gather, and are sorted in by the next page.
struct SortedRooms {
    private var members: [RoomName: Int] = [:]
    /// May name rooms that are gone, and lacks those of `added`.
    private var sorted: [RoomName] = []
    private var added: Set<RoomName> = []
    /// How many of `sorted` are gone.
    private var gone = 0

    mutating func set(_ room: RoomName, members count: Int) {
        if count == 0 {
            guard self.members.removeValue(forKey: room) != nil else { return }
            if self.added.remove(room) == nil { self.gone += 1 }
            // names that are gone take no more room than those that are there
            if self.gone > self.members.count + 1_000 { self.sort() }
            return
        }
        if self.members.updateValue(count, forKey: room) == nil { self.added.insert(room) }
    }

    mutating func page(_ query: RoomQuery) -> RoomPage {
        self.sort()
        var index = self.firstIndex { room in
            if let after = query.after, !after.precedes(room) { return false }
            return !room.precedes(query.prefix)
        }
        var rooms: [AdminRoomSummary] = []
        while index < self.sorted.count, self.sorted[index].text.utf8.starts(with: query.prefix.utf8) {
            guard rooms.count < query.limit else {
                return RoomPage(rooms: rooms, hasMore: true, total: self.members.count)
            }
            let room = self.sorted[index]
            rooms.append(AdminRoomSummary(room, members: self.members[room] ?? 0))
            index += 1
        }
        return RoomPage(rooms: rooms, hasMore: false, total: self.members.count)
    }

    mutating func sort() {
        guard !self.added.isEmpty || self.gone > 0 else { return }
        let kept =
            self.gone > 0 ? self.sorted.filter { self.members[$0] != nil && !self.added.contains($0) } : self.sorted
        let added = self.added.filter { self.members[$0] != nil }.sorted { $0.precedes($1) }
        self.sorted = Self.merge(kept, added)
        self.added = []
        self.gone = 0
    }

    private static func merge(_ left: [RoomName], _ right: [RoomName]) -> [RoomName] {
        guard !right.isEmpty else { return left }
        var merged: [RoomName] = []
        merged.reserveCapacity(left.count + right.count)
        var index = 0
        for room in right {
            while index < left.count, left[index].precedes(room) {
                merged.append(left[index])
                index += 1
            }
            merged.append(room)
        }
        merged.append(contentsOf: left[index...])
        return merged
    }

    /// The first place whose room, and all behind it, meet the condition.
    private func firstIndex(where isBehind: (RoomName) -> Bool) -> Int {
        var (low, high) = (0, self.sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self.sorted[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}

extension RoomName {
    /// In the order of the bytes, which is not that of Swift's strings.
    fileprivate func precedes(_ other: RoomName) -> Bool { self.precedes(other.text) }

    fileprivate func precedes(_ other: String) -> Bool {
        var (left, right) = (self.text, other)
        return left.withUTF8 { left in right.withUTF8 { right in left.lexicographicallyPrecedes(right) } }
    }
}
