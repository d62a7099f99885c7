import RoomCore
import RoomDelivery
import RoomModel

/// The order of a room that the log of its partition gives. The `Room` itself is the partition's.
final class LogRoom: RoomOrder {
    /// By what this node knows of the channel. The room has them once the log has shown a command of this node's.
    var settings: RoomSettings
    /// As of the newest batch that was sealed.
    private(set) var view: RoomView
    /// This node's messages that the log has not shown yet.
    var unstored = CommitBacklog.Holding()
    /// The oldest message that this node's history serves, as far as is known.
    private var oldest: Position
    /// The message before it went by its age, and not by number or pruning.
    private var hasExpired = false

    var subscribers: SubscriberCounts { self.view.subscribers }
    var isDormant: Bool { self.view.members == 0 }
    var isStored: Bool { true }

    init(_ view: RoomView, _ settings: RoomSettings) {
        self.settings = settings
        self.view = view
        self.oldest = Position(epoch: view.epoch, seq: 1)
        self.saw(view)
    }

    /// A batch is to be sealed.
    func saw(_ view: RoomView) {
        if view.epoch != self.oldest.epoch { self.oldest = Position(epoch: view.epoch, seq: 1) }
        let kept = view.history.map { UInt64(clamping: $0.count) } ?? .max
        self.view = view.stored(from: self.oldest.seq, hasExpired: self.hasExpired)
            .stored(from: view.lastSeq + 1 - min(kept, view.lastSeq), hasExpired: false)
    }

    /// Messages up to this one were pruned.
    func pruned(through place: Position) {
        self.trimmed(to: Position(epoch: place.epoch, seq: place.seq + 1), hasExpired: false)
        if place.epoch == self.view.epoch { self.view = self.view.pruned(through: place.seq) }
    }

    /// The node's history has no message of the log before this one.
    func trimmed(to oldest: Position, hasExpired: Bool) {
        guard oldest.epoch == self.view.epoch, oldest.seq > self.oldest.seq else { return }
        self.oldest = oldest
        self.hasExpired = hasExpired
        self.view = self.view.stored(from: oldest.seq, hasExpired: hasExpired)
    }
}
