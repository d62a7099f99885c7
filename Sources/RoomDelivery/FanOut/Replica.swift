import RoomCore
import RoomModel

/// One event loop's copy of a room's log: the window's chunks, and the subscribers of this loop.
final class Replica: LaneMember, ListedRoom {
    let key: RoomKey
    var epoch: Epoch
    var log: LogID?
    /// The history settings of the log; `nil` where there is none.
    var retention: HistorySettings?
    var window: ChunkWindow
    private(set) var subscribers: [Subscriber] = []
    private(set) var changes = LogChanges()
    private let tally: ShardTally
    /// Where it waits for a fan-out.
    var lane: Lane?
    var listIndex = 0
    var use = RoomUse()
    /// Where a fan-out that yielded the loop goes on.
    var fanOutPosition = 0
    /// While a fan-out had yielded, something new came, or somebody left and another subscriber may have moved behind its
    /// position.
    var needsAnotherPass = false

    init(key: RoomKey, epoch: Epoch, log: LogID?, retention: HistorySettings?, window: ChunkWindow, tally: ShardTally) {
        self.key = key
        self.epoch = epoch
        self.log = log
        self.retention = retention
        self.window = window
        self.tally = tally
    }

    func add(_ subscriber: Subscriber) {
        subscriber.slot = self.subscribers.count
        subscriber.changesTaken = self.changes.count
        self.subscribers.append(subscriber)
        self.tally.entered(subscriber.condition)
    }

    /// Messages were redacted. Where the window has one, its chunk is another one. The subscribers are looked at once for
    /// all of them, and nearly all have got what came so far: they have nothing to do.
    func redact(_ redacted: [ShardDelivery.Redacted]) {
        let chunks = redacted.compactMap(\.chunk).compactMap { new in
            self.window.replace(with: new).map { (old: $0, new: new) }
        }
        for subscriber in self.subscribers where !subscriber.isBetweenChunks {
            for redacted in redacted { subscriber.redacted(redacted.seq) }
            for chunk in chunks { subscriber.moved(from: chunk.old, to: chunk.new) }
        }
    }

    /// Puts a chunk in the place of the window's with its number. The subscribers stand in it where they stood.
    func replace(with chunk: Chunk) {
        guard let old = self.window.replace(with: chunk) else { return }
        for subscriber in self.subscribers { subscriber.moved(from: old, to: chunk) }
    }

    /// Something has happened to the log; the next fan-out tells the subscribers.
    func happened(_ event: LogChange.Event, epochBefore: Epoch, stamp: () -> Stamp) {
        let change = LogChange(event, of: self.key.room, epochs: (epochBefore, self.epoch), stamp: stamp)
        self.changes.append(change, for: self.subscribers.count)
    }

    /// The subscriber knows all that has happened to the log.
    func isUpToDate(_ subscriber: Subscriber) {
        if self.contains(subscriber) { self.changes.cameToOne() }
    }

    private func contains(_ subscriber: Subscriber) -> Bool {
        self.subscribers.indices.contains(subscriber.slot) && self.subscribers[subscriber.slot] === subscriber
    }

    /// The subscriber gets its messages from elsewhere than before.
    func changed(_ subscriber: Subscriber, from old: SubscriberCondition) {
        guard self.contains(subscriber) else { return }
        self.tally.left(old)
        self.tally.entered(subscriber.condition)
    }

    func remove(_ subscriber: Subscriber) {
        guard self.contains(subscriber) else { return }
        self.tally.left(subscriber.condition)
        if !subscriber.isUpToDate { self.changes.cameToOne() }
        let last = self.subscribers.removeLast()
        if last !== subscriber {
            last.slot = subscriber.slot
            self.subscribers[subscriber.slot] = last
        }
        if self.fanOutPosition > 0 { self.needsAnotherPass = true }
    }
}
