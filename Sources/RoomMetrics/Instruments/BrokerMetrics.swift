import Metrics
import RoomCore
package import RoomDelivery
import RoomModel

/// The broker's figures as Prometheus text. The counts of the event loops are fetched from them when somebody asks, so
/// that counting costs them nothing but the addition.
package actor BrokerMetrics {
    /// Where the figures come from.
    package struct Sources: Sendable {
        package var shards: @Sendable () async -> [ShardCounters]
        package var statistics: @Sendable () async -> BrokerStatistics
        package var process: @Sendable () -> ProcessFigures
        /// `nil` where the history is in memory.
        package var historyBytes: @Sendable () -> Int?
        package var host: @Sendable () -> HostFigures
        /// `nil` where the broker runs alone.
        package var cluster: @Sendable () -> ClusterFigures?

        package init(
            shards: @escaping @Sendable () async -> [ShardCounters],
            statistics: @escaping @Sendable () async -> BrokerStatistics,
            process: @escaping @Sendable () -> ProcessFigures,
            historyBytes: @escaping @Sendable () -> Int?,
            host: @escaping @Sendable () -> HostFigures = { HostFigures() },
            cluster: @escaping @Sendable () -> ClusterFigures? = { nil }
        ) {
            self.shards = shards
            self.statistics = statistics
            self.process = process
            self.historyBytes = historyBytes
            self.host = host
            self.cluster = cluster
        }
    }

    private let registry: PrometheusRegistry
    private let sources: Sources
    private var rooms: RoomInstruments
    private var channels: ChannelInstruments
    private var process: ProcessInstruments
    private let host: HostInstruments
    private let cluster: ClusterInstruments

    /// - Parameter version: the broker's.
    package init(registry: PrometheusRegistry, version: String, sources: Sources) {
        self.registry = registry
        self.sources = sources
        self.rooms = RoomInstruments(factory: registry)
        self.channels = ChannelInstruments(factory: registry)
        self.process = ProcessInstruments(version: version, factory: registry)
        self.host = HostInstruments(factory: registry)
        self.cluster = ClusterInstruments(factory: registry)
    }

    /// The text, with all figures as of now.
    package func render() async -> String {
        let shards = await self.sources.shards()
        let statistics = await self.sources.statistics()
        self.rooms.take(shards)
        self.channels.take(statistics)
        self.process.take(self.sources.process(), loops: shards.count, historyBytes: self.sources.historyBytes())
        self.host.take(self.sources.host())
        if let cluster = self.sources.cluster() { self.cluster.take(cluster) }
        return self.registry.render()
    }
}
