package import RoomModel

/// The broker's limits beyond the size of a frame (protocol §3, limits); `Int.max` is "unlimited". Sizes in bytes.
package struct BrokerLimits: Equatable, Sendable {
    package var frame = FrameLimits()
    package var roomsPerConnection = 1_000
    package var roomsPerChannel = 100_000
    /// Rooms of one channel of which something is stored, with members or without.
    package var storedRoomsPerChannel = 1_000_000
    /// An `observable_members` with more is a count only.
    package var membersListed = 1_000
    /// The same for a list that takes more bytes.
    package var memberList = 1024 * 1024
    /// Messages in one answer to `history`, and of one subscribe's `history_count`.
    package var historyQuery = 1_000
    package var historyReplay = 100
    /// One answer to `history`, and one page of a recovery.
    package var historyBytes = 256 * 1024
    /// Sessions in their grace period, and the rooms in which they linger, on all event loops.
    package var lingeringRooms = 40_000
    /// Above this much of replies that its peer has not read, a connection is not read from.
    package var unreadReplies = 256 * 1024
    /// The same for all connections together; beyond it the one with most is disconnected.
    package var unreadTotal = 16 * 1024 * 1024
    /// Lists of members that one connection has waiting for the answers to its subscribes; beyond it a list is a count
    /// only. They count as unread replies.
    package var waitingLists = 4 * 1024 * 1024
    /// Lines a second of one connection that cannot be read, after ten times as many at once.
    package var badFrameRate = 10
    /// Messages a second that one connection may publish.
    package var publishRate = 20_000
    /// Rooms a second that one member brings to life, after ten times as many at once.
    package var newRoomRate = 500
    /// A WebSocket client that was silent for so long is pinged, and disconnected after as long again; `nil`: it is not.
    package var webSocketPing: Duration? = .seconds(30)
    /// How long a member may show no token where its channel requires one: an app may ask somebody for a name first.
    package var tokenTime = Duration.seconds(120)
    package var windowPerRoom = 256 * 1024
    package var windowTotal = 64 * 1024 * 1024
    /// The bytes that one room lets wait for a commit.
    package var backlogPerRoom = 8 * 1024 * 1024
    /// The bytes of the messages of all rooms that are not stored yet.
    package var backlogTotal = 16 * 1024 * 1024
    /// Rooms without members whose `seq` is remembered, for each event loop.
    package var dormantRooms = 20_000
    /// Publish keys remembered for each room, for ten minutes.
    package var publishKeys = 100_000
    /// The bytes that the publish keys of all rooms take.
    package var publishKeysTotal = 32 * 1024 * 1024
    /// The bytes that rooms with members, the places in them, windows, publish keys, rooms without members and sessions
    /// in their grace period take together.
    package var memoryTotal = 72 * 1024 * 1024
    /// The bytes that clients have sent and that are not a whole line yet, or wait to be handled.
    package var inputTotal = 12 * 1024 * 1024

    package init() {}
}
