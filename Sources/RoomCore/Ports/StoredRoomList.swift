package import RoomModel

/// The port to what is stored of rooms, with or without members: which of them fill the disk.
package protocol StoredRoomList: Sendable {
    /// The rooms of a channel of whose log something is stored, by the bytes of their names, a page at a time. It takes a
    /// bounded time for each room, however much the room has.
    func storedRooms(
        in channel: ChannelID,
        _ query: StoredRoomQuery
    ) async throws(EngineError) -> StoredRoomPage
}

/// Which of the stored rooms to list.
package struct StoredRoomQuery: Equatable, Sendable {
    /// Only rooms whose names begin with it.
    package var prefix: String
    /// The last name of the page before.
    package var after: RoomName?
    package var limit: Int
    package var asker: ReadAsker

    package init(prefix: String = "", after: RoomName? = nil, limit: Int, asker: ReadAsker) {
        self.prefix = prefix
        self.after = after
        self.limit = limit
        self.asker = asker
    }
}

package struct StoredRoomPage: Equatable, Sendable {
    package var rooms: [StoredRoomSummary]
    package var hasMore: Bool
    /// How many rooms of the channel are stored.
    package var total: Int

    package init(rooms: [StoredRoomSummary], hasMore: Bool, total: Int) {
        self.rooms = rooms
        self.hasMore = hasMore
        self.total = total
    }
}

/// A summary of what is stored of one room, as of its last append or sweep.
package struct StoredRoomSummary: Equatable, Sendable {
    package var name: RoomName
    package var epoch: Epoch
    /// The newest entry's; 0: there never was one.
    package var lastSeq: UInt64
    /// How many entries are served.
    package var messages: UInt64
    /// The bytes that the messages take, with ids and keys, without the overhead of the file.
    package var bytes: UInt64
    /// `bytes` follows from some of the messages: there are too many to look at each.
    package var isEstimate: Bool
    /// Unix milliseconds of the oldest and of the newest entry; `nil` where there is none.
    package var times: ClosedRange<Int64>?

    package init(
        name: RoomName,
        epoch: Epoch,
        lastSeq: UInt64,
        messages: UInt64,
        bytes: UInt64,
        isEstimate: Bool,
        times: ClosedRange<Int64>?
    ) {
        self.name = name
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.messages = messages
        self.bytes = bytes
        self.isEstimate = isEstimate
        self.times = times
    }
}
