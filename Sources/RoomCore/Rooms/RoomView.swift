import DequeModule
package import RoomModel

/// A room as those see it who deliver a batch of it: as of that batch, whatever has become of the room since.
package struct RoomView: Equatable, Sendable {
    package let epoch: Epoch
    /// The newest message.
    package let lastSeq: UInt64
    package let log: LogID?
    /// How much of the log is kept; `nil`: nothing.
    package let history: HistorySettings?
    package let presence: RoomPresence
    package let members: Int
    /// The members that have a connection.
    package let subscribers: SubscriberCounts
    /// The log can be read: at once, or when it has been opened again after a commit that failed.
    let hasLog: Bool
    /// The oldest message that the store still serves.
    private(set) var oldestStored: UInt64
    /// The message before it went by its age, and not by number or pruning.
    private(set) var hasExpired: Bool
    private(set) var prunedThrough: UInt64
    let redactions: RedactionIndex
    let clearedEpochs: Deque<Epoch>
    /// The most messages that a subscribe replays.
    let historyReplay: Int

    package init(_ room: Room) {
        self.epoch = room.epoch
        self.lastSeq = room.lastSeq
        self.log = room.log
        self.history = room.settings.history
        self.presence = room.settings.presence
        self.members = room.members.count
        self.subscribers = room.subscribers
        self.hasLog = room.log != nil || room.hasHistory && room.phase == .closed
        self.oldestStored = room.oldestStored
        self.hasExpired = room.hasExpired
        self.prunedThrough = room.prunedThrough
        self.redactions = room.redactions
        self.clearedEpochs = room.clearedEpochs
        self.historyReplay = room.historyReplay
    }

    /// The same where the store serves no message before this one.
    package func stored(from oldest: UInt64, hasExpired: Bool) -> RoomView {
        guard oldest > self.oldestStored else { return self }
        var view = self
        view.oldestStored = oldest
        view.hasExpired = hasExpired
        return view
    }

    /// The same, where messages up to this one were pruned since.
    package func pruned(through seq: UInt64) -> RoomView {
        var view = self.stored(from: seq + 1, hasExpired: false)
        view.prunedThrough = max(self.prunedThrough, seq)
        return view
    }

    package var position: Position { Position(epoch: self.epoch, seq: self.lastSeq) }
}
