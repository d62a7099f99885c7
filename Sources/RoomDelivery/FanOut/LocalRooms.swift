import NIOCore
import RoomCore
import RoomModel

/// The rooms that connections of this event loop are in: a replica of each, its subscribers, and what waits to be written
/// to them. Confined to the shard's event loop.
final class LocalRooms {
    let context: ShardContext
    private(set) var replicas: [RoomKey: Replica] = [:]
    private var waiting = LaneQueue<Replica>()
    var pageReads = PageReads()

    init(_ context: ShardContext) {
        self.context = context
    }

    /// Takes in what the owner of a room has sent: the chunk, and what the window has lost.
    ///
    /// - Returns: `nil` where nobody here is in the room.
    func receive(_ delivery: ShardDelivery) -> Replica? {
        guard let replica = self.replica(for: delivery) else { return nil }
        if delivery.epoch != replica.epoch { self.deliverRest(of: replica) }
        replica.epoch = delivery.epoch
        replica.log = delivery.log
        replica.retention = delivery.retention
        for redacted in delivery.redacted { replica.redact(redacted) }
        for chunk in delivery.replaced { replica.replace(with: chunk) }
        if !delivery.redacted.isEmpty { self.pageReads.redacted(delivery.log) }
        if delivery.window == nil, let chunk = delivery.chunk {
            replica.window.append(chunk)
            if replica.fanOutPosition > 0 { replica.needsAnotherPass = true }
            self.enqueue(replica, delivery.lane)
        }
        replica.window.trim(before: delivery.windowStart)
        return replica
    }

    /// Nothing waits to be written.
    var isIdle: Bool { self.waiting.isEmpty }

    func remove(_ key: RoomKey) {
        self.replicas.removeValue(forKey: key)
    }

    func channelRemoved(_ id: ChannelID) {
        self.replicas = self.replicas.filter { $0.key.channel != id }
    }

    /// The log ends: what its window still has comes before what ends it.
    private func deliverRest(of replica: Replica) {
        for subscriber in replica.subscribers { subscriber.deliver(atOnce: .max) }
    }

    private func replica(for delivery: ShardDelivery) -> Replica? {
        guard let window = delivery.window else { return self.replicas[delivery.key] }
        // the channel was deleted while the delivery was on its way: nobody here is in the room
        guard self.context.channels[delivery.key.channel] != nil else { return nil }
        let replica = Replica(
            key: delivery.key,
            epoch: delivery.epoch,
            log: delivery.log,
            retention: delivery.retention,
            window: ChunkWindow(window, end: delivery.windowEnd),
            tally: self.context.tally
        )
        self.replicas[delivery.key] = replica
        return replica
    }

    private func enqueue(_ replica: Replica, _ lane: Lane) {
        self.waiting.append(replica, to: lane)
        self.context.wake()
    }

    // MARK: Fan-out

    /// Writes what is new to every subscriber of every room that has something new. When it takes long, the loop looks at
    /// its sockets in between, and a large room has its next turn behind the others.
    func fanOut() {
        self.fanOut(.sparse)
        self.fanOut(.bulk)
        if !self.waiting.isEmpty { self.context.wakeAfterIO() }
    }

    private func fanOut(_ lane: Lane) {
        var budget = WorkBudget()
        while !budget.isSpent, let replica = self.waiting.popFirst(of: lane) {
            if !self.fanOut(replica, &budget) { self.waiting.append(replica, to: lane) }
        }
    }

    /// - Returns: false where the loop has to be yielded before all subscribers had their turn.
    private func fanOut(_ replica: Replica, _ budget: inout WorkBudget) -> Bool {
        repeat {
            // not where it goes on: what came meanwhile is for those before its position, too
            if replica.fanOutPosition == 0 { replica.needsAnotherPass = false }
            guard self.pass(over: replica, &budget) else { return false }
            replica.fanOutPosition = 0
        } while replica.needsAnotherPass
        return true
    }

    private func pass(over replica: Replica, _ budget: inout WorkBudget) -> Bool {
        guard let chunk = replica.window.last else { return true }
        let isShared = chunk.exclusions.isEmpty
        let cost = Work.write(bytes: chunk.bytes(.canonical).readableBytes)
        return chunk.withSharedBytes { bytes in
            var (taken, written) = (0, 0)
            defer { self.context.tally.delivered(taken * chunk.entries.count, bytes: written) }
            while replica.fanOutPosition < replica.subscribers.count {
                let subscriber = replica.subscribers[replica.fanOutPosition]
                replica.fanOutPosition += 1
                if isShared, let count = subscriber.tryWrite(chunk, bytes) {
                    taken += 1
                    written += count
                } else {
                    let before = subscriber.writer.writes
                    subscriber.deliver()
                    budget.spend((subscriber.writer.writes - before) * Work.write(bytes: 0))
                }
                budget.spend(cost)
                if budget.isSpent, replica.fanOutPosition < replica.subscribers.count { return false }
            }
            return true
        }
    }
}
