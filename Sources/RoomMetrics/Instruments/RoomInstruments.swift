import Metrics
import RoomCore
import RoomDelivery
import RoomModel

/// The counts of the shards, taken together.
struct RoomInstruments {
    private var connections: LabelledGauges
    private var opened: RunningTotal
    private var closed: LabelledCounters
    private let members: Meter
    private var subscribers: LabelledGauges
    private var publishes: RunningTotal
    private var publishedBytes: RunningTotal
    private var deliveries: RunningTotal
    private var deliveredBytes: RunningTotal
    private var acknowledgements: RunningTotal
    private let window: Meter
    private var memory: LabelledGauges
    private let memoryLimit: Meter
    private var heldBack: LabelledGauges
    private var busiestConnection: LabelledGauges
    private var busiestAddress: LabelledGauges
    private var busiestRoom: LabelledGauges
    private var storeReads: RunningTotal
    private var gaps: LabelledCounters
    private var goodbyes: LabelledCounters
    private var errors: LabelledCounters

    init(factory: any MetricsFactory) {
        self.connections = LabelledGauges("roomline.connections", by: "wire_format", factory: factory)
        self.opened = RunningTotal("roomline.connections.opened", factory: factory)
        self.closed = LabelledCounters("roomline.connections.closed", by: "reason", factory: factory)
        self.members = Meter(label: "roomline.members", factory: factory)
        self.subscribers = LabelledGauges("roomline.subscribers", by: "state", factory: factory)
        self.publishes = RunningTotal("roomline.publishes", factory: factory)
        self.publishedBytes = RunningTotal("roomline.published.bytes", factory: factory)
        self.deliveries = RunningTotal("roomline.deliveries", factory: factory)
        self.deliveredBytes = RunningTotal("roomline.delivered.bytes", factory: factory)
        self.acknowledgements = RunningTotal("roomline.acknowledgements", factory: factory)
        self.window = Meter(label: "roomline.window.bytes", factory: factory)
        self.memory = LabelledGauges("roomline.shared.memory.bytes", by: "kind", factory: factory)
        self.memoryLimit = Meter(label: "roomline.shared.memory.limit.bytes", factory: factory)
        self.heldBack = LabelledGauges("roomline.held.back.connections", by: "loop", factory: factory)
        self.busiestConnection = LabelledGauges("roomline.busiest.connection.percent", by: "loop", factory: factory)
        self.busiestAddress = LabelledGauges("roomline.busiest.address.percent", by: "loop", factory: factory)
        self.busiestRoom = LabelledGauges("roomline.busiest.room.percent", by: "loop", factory: factory)
        self.storeReads = RunningTotal("roomline.store.reads", factory: factory)
        self.gaps = LabelledCounters("roomline.gaps", by: "reason", factory: factory)
        self.goodbyes = LabelledCounters("roomline.goodbyes", by: "code", factory: factory)
        self.errors = LabelledCounters("roomline.errors", by: "code", factory: factory)
    }

    mutating func take(_ shards: [ShardCounters]) {
        func total(_ figure: (ShardCounters) -> Int) -> Int { shards.reduce(0) { $0 + figure($1) } }
        /// The totals of all keys that there can be, so that each begins at 0: a rate needs a value before the first
        /// event.
        func totals<Key: Hashable>(
            of keys: some Sequence<Key>,
            _ name: (Key) -> String,
            _ figures: (ShardCounters) -> [Key: Int]
        ) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: keys.map { key in (name(key), total { figures($0)[key] ?? 0 }) })
        }
        self.connections.set(totals(of: WireFormat.allCases, \.label, \.openConnections))
        self.opened.follow(total(\.connectionsOpened))
        self.closed.follow(totals(of: EndReason.all, \.word, \.connectionsClosed))
        self.members.set(total(\.members))
        self.subscribers.set(totals(of: SubscriberCondition.allCases, \.rawValue, \.subscribers))
        self.publishes.follow(total(\.published.count))
        self.publishedBytes.follow(total(\.published.bytes))
        self.deliveries.follow(total(\.delivered.count))
        self.deliveredBytes.follow(total(\.delivered.bytes))
        self.acknowledgements.follow(total(\.acknowledgements))
        self.window.set(total(\.windowBytes))
        self.memory.set(["held": total(\.memory.held), "kept": total(\.memory.kept)])
        // The shards share one limit, or have none.
        let limits = shards.compactMap(\.memory.limit)
        self.memoryLimit.set(limits.isEmpty ? .infinity : Double(limits.reduce(0, +)))
        func byLoop(_ figure: (ShardCounters) -> Int) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: shards.enumerated().map { ("\($0)", figure($1)) })
        }
        self.heldBack.set(byLoop(\.heldBack))
        self.busiestConnection.set(byLoop(\.busiest.connection))
        self.busiestAddress.set(byLoop(\.busiest.address))
        self.busiestRoom.set(byLoop(\.busiest.room))
        self.storeReads.follow(total(\.storeReads))
        self.gaps.follow(totals(of: Gap.Reason.allCases, \.rawValue, \.gaps))
        self.goodbyes.follow(totals(of: Code.allCases, \.rawValue, \.goodbyes))
        self.errors.follow(totals(of: Code.allCases, \.rawValue, \.errors))
    }
}

/// The counts of each channel: there are few channels, and an operator made them.
struct ChannelInstruments {
    private let rooms: Meter
    private var connections: LabelledGauges
    private var channelRooms: LabelledGauges
    private var publishes: LabelledCounters

    init(factory: any MetricsFactory) {
        self.rooms = Meter(label: "roomline.rooms", factory: factory)
        self.connections = LabelledGauges("roomline.channel.connections", by: "channel", factory: factory)
        self.channelRooms = LabelledGauges("roomline.channel.rooms", by: "channel", factory: factory)
        self.publishes = LabelledCounters("roomline.channel.publishes", by: "channel", factory: factory)
    }

    mutating func take(_ statistics: BrokerStatistics) {
        func figures(_ figure: (BrokerStatistics.ChannelStatistics) -> Int) -> [String: Int] {
            Dictionary(statistics.channels.map { ($0.id.text, figure($0)) }) { first, _ in first }
        }
        self.rooms.set(statistics.rooms)
        self.connections.set(figures(\.connections))
        self.channelRooms.set(figures(\.rooms))
        self.publishes.follow(figures(\.publishes))
    }
}
