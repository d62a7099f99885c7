import RoomCore

@testable import RoomDelivery

extension RoomShard {
    /// What the shard keeps because of what clients do, in bytes: as its parts count them, or their number times the size
    /// that `MemoryBound` has for each. Walks through all connections.
    var memoryUse: [MemoryOwner: Int] {
        var use: [MemoryOwner: Int] = [
            .windows: self.owner.windowBytes,
            .publishKeys: self.owner.sequencer.keyBytes,
            .unstored: self.owner.sequencer.unstoredBytes,
            .lingering: self.sessions.lingeringEntries * MemoryBound.entry,
            .pages: self.local.pageReads.count * MemoryBound.page,
            .connections: self.connections.count * MemoryBound.connection,
        ]
        for owned in self.owner.rooms.all {
            if owned.order.view.members == 0 {
                use[.emptyRooms, default: 0] += MemoryBound.emptyRoom
            } else {
                use[.rooms, default: 0] += MemoryBound.room
            }
        }
        for connection in self.connections.all {
            let lists = connection.member?.subscriptions.listBytes ?? 0
            use[.unreadReplies, default: 0] += connection.writer.unread + lists
            use[.subscriptions, default: 0] += (connection.member?.rooms ?? 0) * MemoryBound.subscription
        }
        return use
    }
}

extension Member {
    /// Those that it is in or asks to be in.
    fileprivate var rooms: Int { self.session.rooms.count }
}
