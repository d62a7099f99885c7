package import RoomCore
package import RoomModel

/// The state of a shard, and totals since its start.
package struct ShardCounters: Equatable, Sendable {
    package var openConnections: [WireFormat: Int] = [:]
    package var connectionsOpened = 0
    package var connectionsClosed: [EndReason: Int] = [:]
    /// In the rooms that the shard owns.
    package var members = 0
    /// The subscribers of its own connections, by condition.
    package var subscribers: [SubscriberCondition: Int] = [:]
    /// Messages that rooms of the shard took, and the bytes of their values.
    package var published = Volume()
    /// Copies of messages and presence events that were written, as frames or lines.
    package var delivered = Volume()
    package var acknowledgements = 0
    /// Pages of the history, read for subscribers that are not at the newest message.
    package var storeReads = 0
    package var gaps: [Gap.Reason: Int] = [:]
    package var goodbyes: [Code: Int] = [:]
    package var errors: [Code: Int] = [:]
    /// Bytes of memory that the newest messages of the shard's rooms take.
    package var windowBytes = 0
    /// The use of the memory that rooms share, in bytes.
    package var memory = Memory()
    /// Connections that waited a tenth of a second or longer, in the last second, because they had used their credit.
    package var heldBack = 0
    /// How much of the loop's time in the last second the busiest of them used, the busiest address, and the busiest room.
    package var busiest = Busiest()

    package struct Busiest: Equatable, Sendable {
        package var connection = 0
        package var address = 0
        package var room = 0

        package init() {}
    }

    /// Estimated, as `SharedMemory` does.
    package struct Memory: Equatable, Sendable {
        /// The bytes that rooms with members and the places in them take.
        package var held = 0
        /// The bytes that are remembered for rooms, and can be forgotten.
        package var kept = 0
        /// The limit of both together; `nil`: there is none.
        package var limit: Int?

        package init() {}
    }

    package struct Volume: Equatable, Sendable {
        package var count = 0
        package var bytes = 0

        package init() {}

        mutating func add(count: Int, bytes: Int) {
            self.count &+= count
            self.bytes &+= bytes
        }
    }

    init() {}
}

/// Where a subscriber gets its messages from just now.
package enum SubscriberCondition: String, CaseIterable, Sendable {
    /// Let in, but the answer to its subscribe is not complete yet.
    case joining
    /// At the newest message, or as near as its socket takes it.
    case live
    /// Behind, and served from the memory window.
    case window
    /// Behind, and served from the history.
    case store
    /// Behind the window; the room's owner is asked where to go on.
    case lost
}
