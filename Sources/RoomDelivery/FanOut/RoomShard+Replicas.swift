import NIOCore
import RoomCore
import RoomModel

/// The shard as the place where subscribers are: deliveries come in, chunks are written out.
extension RoomShard {
    func receive(_ delivery: ShardDelivery) {
        let replica = self.replica(for: delivery)
        if let replica {
            if delivery.epoch != replica.epoch { self.deliverRest(of: replica) }
            replica.epoch = delivery.epoch
            replica.log = delivery.log
            replica.retention = delivery.retention
            for redacted in delivery.redacted { replica.redact(redacted) }
            if delivery.window == nil, let chunk = delivery.chunk {
                replica.window.append(chunk)
                if replica.fanOutPosition > 0 { replica.needsAnotherPass = true }
                self.enqueue(replica)
            }
            replica.window.trim(before: delivery.windowStart)
        }
        for item in delivery.items { self.handle(item, of: delivery, replica) }
        if delivery.dropsReplica { self.replicas.removeValue(forKey: delivery.key) }
    }

    /// The log ends: what its window still has comes before what ends it.
    private func deliverRest(of replica: Replica) {
        for subscriber in replica.subscribers { subscriber.connection.deliver(to: subscriber) }
    }

    private func replica(for delivery: ShardDelivery) -> Replica? {
        if let window = delivery.window {
            // the channel was deleted while the delivery was on its way: nobody here is in the room
            guard self.channels[delivery.key.channel] != nil else { return nil }
            let replica = Replica(
                key: delivery.key,
                epoch: delivery.epoch,
                log: delivery.log,
                retention: delivery.retention,
                window: ChunkWindow(window, end: delivery.windowEnd),
                tally: self.tally
            )
            self.replicas[delivery.key] = replica
            return replica
        }
        return self.replicas[delivery.key]
    }

    private func handle(_ item: ShardDelivery.Item, of delivery: ShardDelivery, _ replica: Replica?) {
        let room = delivery.key.room
        switch item {
        case .acknowledge(let acknowledgement):
            let number = acknowledgement.origin.connection.number
            if let connection = self.connections[number] {
                connection.acknowledged(acknowledgement)
            } else {
                self.tally.counters.acknowledgements += 1
                self.externalRequests.take(number)?(.acknowledged(acknowledgement))
            }
        case .attach(let attachment):
            guard let replica else { return }
            self.connections[attachment.join.connection.number]?.attached(attachment, to: replica)
        case .detached(let connection):
            self.connections[connection.number]?.detached(room)
        case .removed(let connection, let kick, let end):
            self.connections[connection.number]?.kicked(kick, from: room, before: end)
        case .kicked(let origin, let wasMember):
            self.externalRequests.take(origin.connection.number)?(.kicked(wasMember: wasMember))
        case .refuse(let origin, let error): self.refused(error, to: origin)
        case .refuseJoin(let connection, let error):
            self.connections[connection.number]?.joinRefused(room, error)
        case .members(let origin, let list):
            self.connections[origin.connection.number]?.answerMembers(origin, list)
        case .history(let origin, let request, let seq):
            let query = HistoryRead(
                origin: origin,
                room: delivery.key,
                request: request,
                epoch: delivery.epoch,
                seq: seq,
                log: delivery.log,
                retention: delivery.retention
            )
            if let connection = self.connections[origin.connection.number] {
                connection.readHistory(query)
            } else {
                self.externalRequests.take(origin.connection.number)?(.history(query))
            }
        case .located(let origin): self.externalRequests.take(origin.connection.number)?(.located)
        case .moderated(let origin, let receipt):
            self.externalRequests.take(origin.connection.number)?(.moderated(receipt))
        case .cleared(let cleared):
            guard let replica else { return }
            let head = Self.head(of: replica, delivery)
            for subscriber in replica.subscribers {
                subscriber.connection.roomCleared(subscriber, cleared, head: head)
            }
        case .logReread(let isNewEpoch, let seq, let snapshot):
            guard let replica else { return }
            let head = Self.head(of: replica, delivery)
            for subscriber in replica.subscribers {
                if isNewEpoch {
                    subscriber.connection.logRestarted(subscriber, after: seq, snapshot: snapshot, head: head)
                } else {
                    subscriber.connection.logGoesOn(subscriber, through: seq)
                }
            }
        }
    }

    /// Where a log begins that is told of first in its batch: it goes on with the batch's own chunk.
    private static func head(of replica: Replica, _ delivery: ShardDelivery) -> Cursor {
        Cursor(chunk: delivery.chunk?.number ?? replica.window.end, offset: 0)
    }

    /// A room has refused what was asked of it.
    func refused(_ error: RequestError, to origin: Origin) {
        if let connection = self.connections[origin.connection.number] {
            connection.refused(error, to: origin)
        } else {
            self.externalRequests.take(origin.connection.number)?(.refused(error))
        }
    }

    // MARK: Fan-out

    /// Writes what is new to every subscriber of every room that has something new; yields the loop when it takes long.
    func fanOut() {
        var budget = FanOutBudget()
        while let replica = self.waitingReplicas.first {
            guard self.fanOut(replica, &budget) else {
                self.wake()
                return
            }
            self.waitingReplicas.removeFirst()
            replica.isQueued = false
        }
    }

    /// - Returns: false where the loop has to be yielded before all subscribers had their turn.
    private func fanOut(_ replica: Replica, _ budget: inout FanOutBudget) -> Bool {
        repeat {
            replica.needsAnotherPass = false
            guard self.pass(over: replica, &budget) else { return false }
            replica.fanOutPosition = 0
        } while replica.needsAnotherPass
        return true
    }

    private func pass(over replica: Replica, _ budget: inout FanOutBudget) -> Bool {
        guard let chunk = replica.window.last else { return true }
        let isShared = chunk.exclusions.isEmpty
        let size = chunk.json.readableBytes
        return chunk.json.withUnsafeReadableBytes { bytes in
            var taken = 0
            defer { self.tally.delivered(taken * chunk.entries.count, bytes: taken * size) }
            while replica.fanOutPosition < replica.subscribers.count {
                let subscriber = replica.subscribers[replica.fanOutPosition]
                replica.fanOutPosition += 1
                if isShared, subscriber.tryWrite(chunk, bytes) {
                    taken += 1
                } else {
                    subscriber.connection.deliver(to: subscriber)
                }
                budget.spend(bytes: size)
                if budget.isSpent, replica.fanOutPosition < replica.subscribers.count { return false }
            }
            return true
        }
    }
}

/// How long a fan-out may hold the loop: about a millisecond, by the measured cost of a write rather than by a clock, so
/// that a run can be repeated.
struct FanOutBudget {
    private var microseconds = 1_000

    var isSpent: Bool { self.microseconds <= 0 }

    mutating func spend(bytes: Int) {
        self.microseconds -= 6 + bytes / 8_192
    }
}
