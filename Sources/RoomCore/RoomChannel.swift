package import RoomModel
import Synchronization

/// A channel that clients can connect to: its settings, and how many of its rooms have members, on all event loops.
package final class RoomChannel: Sendable {
    package let settings: ChannelSettings
    private let activeRooms = Atomic<Int>(0)

    package init(settings: ChannelSettings) {
        self.settings = settings
    }

    /// Counts one more room with members, unless there are `limit` already.
    package func roomBecameActive(limit: Int) -> Bool {
        if self.activeRooms.add(1, ordering: .relaxed).newValue <= limit { return true }
        self.activeRooms.subtract(1, ordering: .relaxed)
        return false
    }

    package func roomBecameDormant() {
        self.activeRooms.subtract(1, ordering: .relaxed)
    }
}

/// The channels of this broker by id.
package struct ChannelTable: Sendable {
    private let channels: [String: RoomChannel]

    package init(_ settings: [ChannelSettings]) {
        self.channels = Dictionary(
            settings.map { ($0.id.text, RoomChannel(settings: $0)) },
            uniquingKeysWith: { _, last in last }
        )
    }

    package subscript(id: String) -> RoomChannel? { self.channels[id] }
}
