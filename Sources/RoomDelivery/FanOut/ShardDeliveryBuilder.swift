import NIOCore
import RoomCore
import RoomModel

/// Sorts what a batch means by the shards that it concerns.
struct ShardDeliveryBuilder {
    private let owned: OwnedRoom
    private let chunk: Chunk?
    private let redacted: [ShardDelivery.Redacted]
    private var deliveries: [ShardDelivery?]
    private var hadReplica: [Bool]

    init(owned: OwnedRoom, chunk: Chunk?, redacted: [ShardDelivery.Redacted] = []) {
        self.owned = owned
        self.chunk = chunk
        self.redacted = redacted
        self.deliveries = Array(repeating: nil, count: owned.subscribers.count)
        self.hadReplica = owned.subscribers.map { $0 > 0 }
        guard chunk != nil else { return }
        self.touchAll()
    }

    /// Every shard that has a replica gets a delivery, if only for the window's start.
    mutating func touchAll() {
        for shard in self.deliveries.indices where self.hadReplica[shard] {
            self.deliveries[shard] = self.empty()
            self.deliveries[shard]?.chunk = self.chunk
            self.deliveries[shard]?.redacted = self.redacted
        }
    }

    mutating func add(_ item: ShardDelivery.Item, to shard: Int) {
        if self.deliveries[shard] == nil { self.deliveries[shard] = self.empty() }
        self.deliveries[shard]?.items.append(item)
    }

    mutating func add(_ outcome: EncodedBatch.Outcome, encoded: EncodedBatch) {
        switch outcome {
        case .acknowledge(let acknowledgement):
            guard acknowledgement.origin.callback != nil else { return }
            self.add(.acknowledge(acknowledgement), to: acknowledgement.origin.connection.shard)
        case .attach(let join, let seq, let snapshot, let entry):
            self.attach(join, seq: seq, snapshot: snapshot, entry: entry, encoded: encoded)
        case .detach(let connection, let wireFormat):
            self.owned.subscribers[connection.shard] -= 1
            if wireFormat == .textLines { self.owned.textSubscribers -= 1 }
            self.add(.detached(connection), to: connection.shard)
        case .remove(let connection, let wireFormat, let kick, let entry):
            self.owned.subscribers[connection.shard] -= 1
            if wireFormat == .textLines { self.owned.textSubscribers -= 1 }
            self.add(
                .removed(connection, kick, before: self.cursor(behind: entry, wireFormat)),
                to: connection.shard
            )
        case .kicked(let origin, let wasMember):
            self.add(.kicked(origin, wasMember: wasMember), to: origin.connection.shard)
        case .refuse(let origin, let error):
            self.add(.refuse(origin, error), to: origin.connection.shard)
        case .refuseJoin(let join, let error):
            self.add(.refuseJoin(join.connection, error), to: join.connection.shard)
        case .members(let origin, let list):
            self.add(.members(origin, list), to: origin.connection.shard)
        case .history(let origin, let request, let seq):
            self.add(.history(origin, request, seq: seq), to: origin.connection.shard)
        case .located(let origin):
            self.add(.located(origin), to: origin.connection.shard)
        case .moderated(let origin, let receipt):
            self.add(.moderated(origin, receipt), to: origin.connection.shard)
        case .cleared(let cleared):
            self.addToAll(.cleared(cleared))
        case .logReread(let isNewEpoch, let seq, let snapshot):
            self.addToAll(.logReread(isNewEpoch: isNewEpoch, seq: seq, snapshot: snapshot))
        }
    }

    /// For all subscribers.
    private mutating func addToAll(_ item: ShardDelivery.Item) {
        for shard in self.deliveries.indices where self.owned.subscribers[shard] > 0 {
            self.add(item, to: shard)
        }
    }

    private mutating func attach(
        _ join: JoinCommand,
        seq: UInt64,
        snapshot: MemberSnapshot?,
        entry: Int,
        encoded: EncodedBatch
    ) {
        let shard = join.connection.shard
        if !join.isResync {
            self.owned.subscribers[shard] += 1
            if join.wireFormat == .textLines { self.owned.textSubscribers += 1 }
        }
        let window = self.owned.window
        let grant = self.owned.room.grant(join, seq: seq, windowAfter: window.chunks.first?.seqBefore ?? seq)
        self.add(
            .attach(
                ShardDelivery.Attachment(
                    join: join,
                    grant: grant,
                    snapshot: snapshot,
                    cursor: self.cursor(behind: entry, join.wireFormat)
                )
            ),
            to: shard
        )
    }

    /// The place behind the first `entry` entries of the batch's chunk, which is the window's last.
    private func cursor(behind entry: Int, _ wireFormat: WireFormat) -> Cursor {
        guard let chunk else { return Cursor(chunk: self.owned.window.end, offset: 0) }
        return Cursor(chunk: chunk.number, offset: entry == 0 ? 0 : chunk.end(ofEntry: entry - 1, wireFormat))
    }

    /// The deliveries by shard, in the order of the shards.
    consuming func finish() -> [(Int, ShardDelivery)] {
        var result: [(Int, ShardDelivery)] = []
        for shard in self.deliveries.indices {
            guard var delivery = self.deliveries[shard] else { continue }
            let has = self.owned.subscribers[shard] > 0
            if has, !self.hadReplica[shard] {
                delivery.window = self.owned.window.array
                delivery.windowEnd = self.owned.window.end
            }
            delivery.dropsReplica = !has && self.hadReplica[shard]
            result.append((shard, delivery))
        }
        return result
    }

    private func empty() -> ShardDelivery {
        ShardDelivery(
            key: self.owned.key,
            epoch: self.owned.room.epoch,
            log: self.owned.room.log,
            retention: self.owned.room.history,
            windowStart: self.owned.window.start
        )
    }
}
