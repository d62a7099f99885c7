import NIOConcurrencyHelpers
import RoomModel

/// Which rooms have members, kept off the event loops: listing 50,000 rooms costs no member anything.
///
/// The shards tell it what has changed at the end of a turn, in one step for the whole turn.
package actor RoomDirectory {
    private nonisolated let changes = NIOLockedValueBox<[RoomKey: Int]>([:])
    private var channels: [ChannelID: SortedRooms] = [:]

    /// Above it the changes are taken in although nobody has asked.
    private static let waitingLimit = 4_096

    package init() {}

    /// Takes what the rooms have become: how many members each has.
    nonisolated func changed(_ rooms: [(key: RoomKey, members: Int)]) {
        let waiting = self.changes.withLockedValue { changes in
            for room in rooms { changes[room.key] = room.members }
            return changes.count
        }
        if waiting > Self.waitingLimit { Task { await self.sortIn() } }
    }

    func page(of channel: ChannelID, _ query: RoomQuery) -> RoomPage {
        self.takeIn()
        guard self.channels[channel] != nil else { return RoomPage(rooms: [], hasMore: false, total: 0) }
        return self.channels[channel, default: SortedRooms()].page(query)
    }

    func remove(_ channel: ChannelID) {
        self.takeIn()
        self.channels[channel] = nil
    }

    /// Sorts ahead of the next question, which then has little to wait for.
    private func sortIn() {
        self.takeIn()
        for channel in self.channels.keys { self.channels[channel]?.sort() }
    }

    private func takeIn() {
        let changes = self.changes.withLockedValue { changes in
            defer { changes = [:] }
            return changes
        }
        for (key, members) in changes {
            self.channels[key.channel, default: SortedRooms()].set(key.room, members: members)
        }
    }
}
