import Metrics
import RoomDelivery
import RoomModel

/// What is counted of each channel: of those there are few, and an operator made them.
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
