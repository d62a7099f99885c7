import NIOCore
import RoomCore
import RoomModel

/// The rooms that connections of this event loop are in: a replica of each, its subscribers, and what waits to be written
/// to them. Confined to the shard's event loop.
final class LocalRooms {
    let context: ShardContext
    private(set) var replicas = ShardRooms<Replica>()
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
        let epoch = replica.epoch
        replica.epoch = delivery.epoch
        if delivery.epoch != epoch {
            self.happened(.ended(replica.window), to: replica, epochBefore: epoch, delivery.lane)
        }
        replica.log = delivery.log
        replica.retention = delivery.retention
        if !delivery.redacted.isEmpty {
            replica.redact(delivery.redacted)
            self.pageReads.redacted(delivery.log)
        }
        for chunk in delivery.replaced { replica.replace(with: chunk) }
        if delivery.window == nil, let chunk = delivery.chunk {
            replica.window.append(chunk)
            self.enqueue(replica, delivery.lane)
        }
        replica.window.trim(before: delivery.windowStart)
        return replica
    }

    /// Nothing waits to be written.
    var isIdle: Bool { self.waiting.isEmpty }

    func remove(_ key: RoomKey) {
        self.replicas.remove(key)
    }

    /// Something has happened to the log of a room: its subscribers are told with the fan-out.
    ///
    /// - Parameter epoch: that of the log before; `nil`: it is the same.
    func happened(_ event: LogChange.Event, to replica: Replica, epochBefore epoch: Epoch? = nil, _ lane: Lane) {
        replica.happened(event, epochBefore: epoch ?? replica.epoch) { self.context.stamp(by: .broker) }
        self.enqueue(replica, lane)
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
        self.replicas.add(replica)
        return replica
    }

    private func enqueue(_ replica: Replica, _ lane: Lane) {
        if replica.fanOutPosition > 0 { replica.needsAnotherPass = true }
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
            let before = budget
            if !self.fanOut(replica, &budget) { self.waiting.append(replica, to: lane) }
            self.context.busyRooms.spent(budget.spent(since: before), on: replica)
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
        if !replica.changes.isEmpty, !self.tellChanges(to: replica, &budget) { return false }
        guard let chunk = replica.window.last else { return true }
        let cost = Work.write(bytes: chunk.bytes(.canonical).readableBytes)
        return chunk.withSharedBytes { bytes in
            var (taken, written) = (0, 0)
            defer { self.context.tally.delivered(taken * chunk.entries.count, bytes: written) }
            while replica.fanOutPosition < replica.subscribers.count {
                let subscriber = replica.subscribers[replica.fanOutPosition]
                replica.fanOutPosition += 1
                if chunk.isWhole(asks: subscriber.asksPresence), let count = subscriber.tryWrite(chunk, bytes) {
                    taken += 1
                    written += count
                    budget.spend(cost)
                } else if subscriber.trySkip(chunk) {
                    // so many of them are one unit of work
                    if replica.fanOutPosition.isMultiple(of: 16) { budget.spend(1) }
                } else {
                    let before = subscriber.writer.writes
                    subscriber.deliver()
                    budget.spend((subscriber.writer.writes - before) * Work.write(bytes: 0) + cost)
                }
                if budget.isSpent, replica.fanOutPosition < replica.subscribers.count { return false }
            }
            return true
        }
    }

    /// Delivers to one after the other until all know what has happened to the log.
    private func tellChanges(to replica: Replica, _ budget: inout WorkBudget) -> Bool {
        while !replica.changes.isEmpty, replica.fanOutPosition < replica.subscribers.count {
            let subscriber = replica.subscribers[replica.fanOutPosition]
            replica.fanOutPosition += 1
            let before = subscriber.writer.writes
            subscriber.deliver()
            budget.spend(Work.command + (subscriber.writer.writes - before) * Work.write(bytes: 0))
            if budget.isSpent, replica.fanOutPosition < replica.subscribers.count { return false }
        }
        return true
    }
}
