import RoomCore
import RoomModel

/// One event loop's copy of a room's log: the window's chunks, and the subscribers of this loop.
final class Replica {
    let key: RoomKey
    var epoch: Epoch
    var log: LogID?
    /// What the log keeps; `nil` where there is none.
    var retention: HistorySettings?
    var window: ChunkWindow
    private(set) var subscribers: [Subscriber] = []
    /// Waits in the shard's queue for a fan-out.
    var isQueued = false
    /// Where a fan-out that yielded the loop goes on.
    var fanOutPosition = 0
    /// Somebody left while a fan-out had yielded: another subscriber may have moved behind its position.
    var needsAnotherPass = false

    init(key: RoomKey, epoch: Epoch, log: LogID?, retention: HistorySettings?, window: ChunkWindow) {
        self.key = key
        self.epoch = epoch
        self.log = log
        self.retention = retention
        self.window = window
    }

    func add(_ subscriber: Subscriber) {
        subscriber.slot = self.subscribers.count
        self.subscribers.append(subscriber)
    }

    func remove(_ subscriber: Subscriber) {
        guard self.subscribers.indices.contains(subscriber.slot), self.subscribers[subscriber.slot] === subscriber
        else { return }
        let last = self.subscribers.removeLast()
        if last !== subscriber {
            last.slot = subscriber.slot
            self.subscribers[subscriber.slot] = last
        }
        if self.fanOutPosition > 0 { self.needsAnotherPass = true }
    }
}
