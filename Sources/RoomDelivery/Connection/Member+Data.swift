import RoomCore
import RoomModel

/// Rooms that are to show the member as it is now.
///
/// Each is told once, however often the data changes meanwhile: a change goes on where the last one has come to, so that a
/// client that changes its data without pause leaves no room out.
struct UntoldRooms {
    /// Slots of the session's rooms that have not been looked at since the last change.
    private var left = 0
    private var slot = 0
    private var slotCount = 0

    var isEmpty: Bool { self.left == 0 }

    /// All of these are to be told.
    mutating func add(_ rooms: InsertionOrderedDictionary<RoomName, Session.Membership>) {
        self.left = rooms.slotCount
        self.slotCount = rooms.slotCount
    }

    mutating func next(
        of rooms: InsertionOrderedDictionary<RoomName, Session.Membership>
    ) -> RoomName? {
        // rooms were left, and the others have moved
        if rooms.slotCount < self.slotCount { self.left = rooms.slotCount }
        self.slotCount = rooms.slotCount
        while self.left > 0 {
            self.left -= 1
            if self.slot >= rooms.slotCount { self.slot = 0 }
            defer { self.slot += 1 }
            if let room = rooms.key(atSlot: self.slot) { return room }
        }
        return nil
    }
}

extension Member {
    /// Its rooms show the member as it is now: in turns with the connections, each room at most once a turn.
    func tellRooms() {
        let isTelling = !self.untold.isEmpty
        self.untold.add(self.session.rooms)
        guard !isTelling, !self.untold.isEmpty else { return }
        let group = self.connection.group
        let work = LongWork(in: self.shard.flows, sharing: group, share: self.shareLeft) { [weak self] in
            self?.tellNextRoom()
        }
        work.whenDone { [weak self] in
            // its end may have waited for this
            if let self { self.shard.enqueue(self.connection) }
        }
        work.beginLater()
    }

    /// - Returns: what it has cost; `nil` where nothing is left to do.
    private func tellNextRoom() -> Int? {
        guard self.connection.member === self, let room = self.untold.next(of: self.session.rooms) else { return nil }
        let owned = self.shard.submit(.update(self.session.identity.sender), to: room, in: self.channel)
        self.chargeData(in: owned)
        return Work.roomOfMany
    }
}
