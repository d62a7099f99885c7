import RoomCore
import RoomModel

/// Counts what a shard and its parts do, in plain numbers that are confined to the shard's event loop. Other threads ask
/// the shard for them, so that counting costs one addition.
final class ShardTally {
    var counters = ShardCounters()

    func delivered(_ count: Int, bytes: Int) {
        self.counters.delivered.add(count: count, bytes: bytes)
    }

    func opened(_ wireFormat: WireFormat) {
        self.counters.connectionsOpened += 1
        self.counters.openConnections[wireFormat, default: 0] += 1
    }

    func closed(_ wireFormat: WireFormat, _ reason: EndReason) {
        let count = self.counters.connectionsClosed[reason] ?? 0
        self.counters.connectionsClosed[reason] = count + 1
        self.counters.openConnections[wireFormat, default: 0] -= 1
    }

    func turnedAway() {
        self.counters.connectionsOpened += 1
        self.counters.connectionsClosed[.code(.tooManyConnections), default: 0] += 1
    }

    func changed(_ old: WireFormat, to new: WireFormat) {
        self.counters.openConnections[old, default: 0] -= 1
        self.counters.openConnections[new, default: 0] += 1
    }

    func entered(_ condition: SubscriberCondition) {
        self.counters.subscribers[condition, default: 0] += 1
    }

    func left(_ condition: SubscriberCondition) {
        self.counters.subscribers[condition, default: 0] -= 1
    }

    func told(_ reason: Gap.Reason) {
        self.counters.gaps[reason, default: 0] += 1
    }

    func refused(_ code: Code) {
        self.counters.errors[code, default: 0] += 1
    }

    func saidGoodbye(_ code: Code) {
        self.counters.goodbyes[code, default: 0] += 1
    }
}
