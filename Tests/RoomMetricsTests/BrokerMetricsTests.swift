import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomMetrics

struct BrokerMetricsTests {
    private let registry = PrometheusRegistry(descriptions: MetricDescription.broker, logger: LogLines().logger)
    private let shards = NIOLockedValueBox<[ShardCounters]>([ShardCounters(), ShardCounters()])
    private let statistics = NIOLockedValueBox(BrokerStatistics())

    private let cluster = NIOLockedValueBox<ClusterFigures?>(nil)

    private var metrics: BrokerMetrics {
        BrokerMetrics(
            registry: self.registry,
            version: "1.2.3",
            sources: BrokerMetrics.Sources(
                shards: { [shards] in shards.withLockedValue(\.self) },
                statistics: { [statistics] in statistics.withLockedValue(\.self) },
                process: { ProcessFigures(startSeconds: 100, uptimeSeconds: 5, processorSeconds: 0.5) },
                historyBytes: { nil },
                cluster: { [cluster] in cluster.withLockedValue(\.self) }
            )
        )
    }

    /// The lines of the metrics with these beginnings.
    private static func lines(_ text: String, _ names: String...) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in names.contains { line.hasPrefix($0) } }
    }

    @Test func `a node tells of its cluster, and a broker that runs alone of none`() async {
        let metrics = self.metrics
        #expect(await !metrics.render().contains("roomline_cluster"))
        self.cluster.withLockedValue { $0 = ClusterFigures(nodes: 3, partitions: ["ready": 15, "disconnected": 1]) }
        #expect(
            Self.lines(await metrics.render(), "roomline_cluster") == [
                "roomline_cluster_nodes 3", "roomline_cluster_partitions{state=\"disconnected\"} 1",
                "roomline_cluster_partitions{state=\"ready\"} 15",
            ]
        )
    }

    @Test func `what the shards count is added up, and totals go on where they were`() async {
        let metrics = self.metrics
        self.shards.withLockedValue { shards in
            shards[0].connectionsOpened = 3
            shards[1].connectionsOpened = 4
            shards[0].openConnections = [.jsonLines: 2]
            shards[1].openConnections = [.jsonLines: 1, .textLines: 1]
            shards[0].connectionsClosed = [.code(.slowConsumer): 1]
            shards[1].connectionsClosed = [.code(.slowConsumer): 1, .clientClosed: 1]
            shards[1].errors = [.rateLimited: 2]
            shards[1].heldBack = 5
            shards[1].busiest.address = 40
        }
        var text = await metrics.render()
        #expect(
            Self.lines(text, "roomline_connections{", "roomline_connections_opened") == [
                "roomline_connections{wire_format=\"events\"} 0", "roomline_connections{wire_format=\"json\"} 3",
                "roomline_connections{wire_format=\"text\"} 1", "roomline_connections{wire_format=\"websocket\"} 0",
                "roomline_connections_opened_total 7",
            ]
        )
        let closed = Self.lines(text, "roomline_connections_closed_total")
        #expect(closed.count == EndReason.all.count)
        #expect(closed.contains("roomline_connections_closed_total{reason=\"slow_consumer\"} 2"))
        #expect(closed.contains("roomline_connections_closed_total{reason=\"client_closed\"} 1"))
        #expect(closed.contains("roomline_connections_closed_total{reason=\"connection_reset\"} 0"))
        #expect(text.contains("\nroomline_errors_total{code=\"rate_limited\"} 2\n"))
        #expect(text.contains("\nroomline_errors_total{code=\"muted\"} 0\n"))
        #expect(
            Self.lines(text, "roomline_held_back_connections") == [
                "roomline_held_back_connections{loop=\"0\"} 0", "roomline_held_back_connections{loop=\"1\"} 5",
            ]
        )
        for (name, percent) in [("connection", 0), ("address", 40), ("room", 0)] {
            #expect(text.contains("\nroomline_busiest_\(name)_percent{loop=\"1\"} \(percent)\n"))
        }
        self.shards.withLockedValue { shards in
            shards[0].connectionsOpened = 10
            shards[0].errors = [.rateLimited: 1]
        }
        text = await metrics.render()
        #expect(text.contains("\nroomline_connections_opened_total 14\n"))
        #expect(text.contains("\nroomline_errors_total{code=\"rate_limited\"} 3\n"))
    }

    @Test func `a channel that is removed is not shown any more, nor what is not known`() async {
        let metrics = self.metrics
        self.statistics.withLockedValue { statistics in
            statistics.channels = [
                .init(id: .make("a"), connections: 1, rooms: 2, publishes: 3),
                .init(id: .make("b"), connections: 4, rooms: 5, publishes: 0),
            ]
        }
        #expect(
            Self.lines(await metrics.render(), "roomline_channel_") == [
                "roomline_channel_connections{channel=\"a\"} 1", "roomline_channel_connections{channel=\"b\"} 4",
                "roomline_channel_publishes_total{channel=\"a\"} 3",
                "roomline_channel_publishes_total{channel=\"b\"} 0",
                "roomline_channel_rooms{channel=\"a\"} 2", "roomline_channel_rooms{channel=\"b\"} 5",
            ]
        )
        self.statistics.withLockedValue { _ = $0.channels.removeFirst() }
        let text = await metrics.render()
        #expect(Self.lines(text, "roomline_channel_").allSatisfy { $0.contains("\"b\"") })
        #expect(Self.lines(text, "roomline_history_file_bytes", "process_open_fds") == [])
        #expect(text.contains("\nroomline_build_info{version=\"1.2.3\"} 1\n"))
    }

    @Test func `every metric has help of its own`() async {
        CommitInstruments(factory: self.registry).committed(
            .init(batches: 1, entries: 7, bytes: 99, nanoseconds: 3_000)
        )
        _ = LoopProbe(loops: [], factory: self.registry)
        HTTPInstruments(factory: self.registry).answered("GET", "/health", 200, nanoseconds: 1)
        let text = await self.metrics.render()
        for line in text.split(separator: "\n") where line.hasPrefix("# HELP") {
            #expect(line.hasSuffix(".") && line.contains(" "), "\(line)")
        }
        #expect(text.contains("\nroomline_commit_messages_bucket{le=\"10\"} 1\n"))
        #expect(text.contains("\nroomline_committed_bytes_total 99\n"))
    }

    @Test func `what a client sends becomes no label`() {
        let http = HTTPInstruments(factory: self.registry)
        for method in ["GET", "EVIL-1", "EVIL-2"] {
            http.answered(method, "/{channel}/stats", 200, nanoseconds: 20_000)
        }
        #expect(
            Self.lines(self.registry.render(), "roomline_http_requests") == [
                "roomline_http_requests_total{method=\"GET\",route=\"/{channel}/stats\",status=\"200\"} 1",
                "roomline_http_requests_total{method=\"other\",route=\"/{channel}/stats\",status=\"200\"} 2",
            ]
        )
    }
}
