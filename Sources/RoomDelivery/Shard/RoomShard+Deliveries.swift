import RoomCore
import RoomModel

/// What the owners of rooms send to this shard, and the answers in it to those whom they are for.
extension RoomShard {
    func receive(_ delivery: ShardDelivery) {
        let replica = self.local.receive(delivery)
        for item in delivery.items { self.handle(item, of: delivery, replica) }
        if delivery.dropsReplica { self.local.remove(delivery.key) }
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
                self.owner.requests.take(number)?(.acknowledged(acknowledgement))
            }
        case .attach(let attachment):
            guard let replica else { return }
            self.connections[attachment.join.connection.number]?.attached(attachment, to: replica)
        case .detached(let connection):
            self.connections[connection.number]?.detached(room)
        case .removed(let connection, let kick, let end):
            self.connections[connection.number]?.kicked(kick, from: room, before: end)
        case .kicked(let origin, let wasMember):
            self.owner.requests.take(origin.connection.number)?(.kicked(wasMember: wasMember))
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
                self.owner.requests.take(origin.connection.number)?(.history(query))
            }
        case .located(let origin): self.owner.requests.take(origin.connection.number)?(.located)
        case .moderated(let origin, let receipt):
            self.owner.requests.take(origin.connection.number)?(.moderated(receipt))
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
            self.owner.requests.take(origin.connection.number)?(.refused(error))
        }
    }
}
