import Logging
import Metrics
import Testing

@testable import RoomMetrics

struct PrometheusRegistryTests {
    private let log = LogLines()

    private func registry(_ descriptions: [MetricDescription] = [], limit: Int = 500) -> PrometheusRegistry {
        PrometheusRegistry(descriptions: descriptions, labelSetLimit: limit, logger: self.log.logger)
    }

    @Test func `every kind of metric in its form, sorted by name and labels`() {
        let registry = self.registry([
            MetricDescription("batch.size", "Messages of a commit.", bounds: [1, 10]),
            MetricDescription("deliveries", "Copies written."),
        ])
        Counter(label: "deliveries", dimensions: [("room", "b"), ("wire_format", "text")], factory: registry).increment(
            by: 2
        )
        Counter(label: "deliveries", dimensions: [("wire_format", "json"), ("room", "b")], factory: registry)
            .increment()
        FloatingPointCounter(label: "cpu.seconds.total", factory: registry).increment(by: 1.25)
        Gauge(label: "rooms", factory: registry).record(3)
        let connections = Meter(label: "connections", factory: registry)
        connections.increment(by: 5)
        connections.decrement(by: 2.5)
        let batch = Recorder(label: "batch.size", factory: registry)
        for size in [1, 2, 10, 11] { batch.record(size) }
        #expect(
            registry.render() == """
                # HELP batch_size Messages of a commit.
                # TYPE batch_size histogram
                batch_size_bucket{le="1"} 1
                batch_size_bucket{le="10"} 3
                batch_size_bucket{le="+Inf"} 4
                batch_size_sum 24
                batch_size_count 4
                # HELP connections connections
                # TYPE connections gauge
                connections 2.5
                # HELP cpu_seconds_total cpu.seconds.total
                # TYPE cpu_seconds_total counter
                cpu_seconds_total 1.25
                # HELP deliveries_total Copies written.
                # TYPE deliveries_total counter
                deliveries_total{room="b",wire_format="json"} 1
                deliveries_total{room="b",wire_format="text"} 2
                # HELP rooms rooms
                # TYPE rooms gauge
                rooms 3

                """
        )
    }

    @Test func `a timer shows seconds, in buckets from 10 µs to 10 s`() {
        let registry = self.registry()
        let timer = Metrics.Timer(label: "commit", factory: registry)
        timer.recordNanoseconds(10_000)
        timer.recordNanoseconds(10_001)
        timer.recordSeconds(20)
        let lines = registry.render().split(separator: "\n")
        let bounds = lines.filter { $0.hasPrefix("commit_seconds_bucket") }.map { $0.split(separator: "\"")[1] }
        #expect(
            bounds == [
                "1e-05", "2.5e-05", "5e-05", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025",
                "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf",
            ]
        )
        #expect(lines.contains("commit_seconds_bucket{le=\"1e-05\"} 1"))
        #expect(lines.contains("commit_seconds_bucket{le=\"2.5e-05\"} 2"))
        #expect(lines.contains("commit_seconds_bucket{le=\"10\"} 2"))
        #expect(lines.contains("commit_seconds_bucket{le=\"+Inf\"} 3"))
        #expect(lines.contains("commit_seconds_sum 20.000020001"))
        #expect(lines.contains("commit_seconds_count 3"))
    }

    @Test(arguments: [
        ("http.server-requests", "http_server_requests"), ("9lives", "_9lives"), ("a:b", "a:b"), ("é", "__"),
    ])
    func `metric names are made to fit the grammar`(label: String, name: String) {
        #expect(PrometheusText.metricName(label) == name)
    }

    @Test(arguments: [("http.route", "http_route"), ("a:b", "a_b"), ("__name__", "_name__"), ("le", "le_"), ("", "_")])
    func `label names are made to fit the grammar`(label: String, name: String) {
        #expect(PrometheusText.labelName(label) == name)
    }

    @Test func `values and help are escaped`() {
        let registry = self.registry([MetricDescription("a", "one\\two\n\"three\"")])
        Counter(label: "a", dimensions: [("v", "\\ \" \n \r\n \u{e9}{}")], factory: registry).increment()
        #expect(
            registry.render() == """
                # HELP a_total one\\\\two\\n"three"
                # TYPE a_total counter
                a_total{v="\\\\ \\" \\n \r\\n \u{e9}{}"} 1

                """
        )
    }

    @Test(arguments: [(Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (-0.5, "-0.5"), (1e21, "1e+21")])
    func `a gauge shows any number`(value: Double, text: String) {
        let registry = self.registry()
        Gauge(label: "g", factory: registry).record(value)
        #expect(registry.render().hasSuffix("\ng \(text)\n"))
    }

    @Test func `a counter never goes down, and a histogram takes no infinite value`() {
        let registry = self.registry()
        let counter = registry.makeFloatingPointCounter(label: "c", dimensions: [])
        for amount in [1.5, -1, .nan, .infinity] { counter.increment(by: amount) }
        let recorder = registry.makeRecorder(label: "r", dimensions: [], aggregate: true)
        for value in [Double.nan, .infinity, 3] { recorder.record(value) }
        let text = registry.render()
        #expect(text.contains("\nc_total 1.5\n"))
        #expect(text.contains("\nr_count 1\n"))
        #expect(text.contains("\nr_sum 3\n"))
    }

    @Test func `many threads count into the same series without losing one`() async {
        let registry = self.registry()
        await withTaskGroup { group in
            for task in 0..<16 {
                group.addTask {
                    let counter = Counter(label: "c", dimensions: [("half", "\(task % 2)")], factory: registry)
                    let seconds = FloatingPointCounter(label: "s", factory: registry)
                    let timer = Metrics.Timer(label: "t", factory: registry)
                    for _ in 0..<1_000 {
                        counter.increment()
                        seconds.increment(by: 0.5)
                        timer.recordNanoseconds(1_000)
                    }
                    _ = registry.render()
                }
            }
        }
        let text = registry.render()
        #expect(text.contains("\nc_total{half=\"0\"} 8000\n"))
        #expect(text.contains("\nc_total{half=\"1\"} 8000\n"))
        #expect(text.contains("\ns_total 8000\n"))
        #expect(text.contains("\nt_seconds_count 16000\n"))
        #expect(text.contains("\nt_seconds_sum 0.016\n"))
    }

    @Test func `beyond the limit all label sets are one, and the log says so once`() {
        let registry = self.registry(limit: 3)
        for room in 0..<10 {
            Counter(label: "c", dimensions: [("room", "\(room)")], factory: registry).increment()
        }
        Counter(label: "c", dimensions: [("room", "1")], factory: registry).increment()
        Counter(label: "c", dimensions: [("other.name", "1")], factory: registry).increment()
        #expect(
            registry.render().split(separator: "\n").dropFirst(2) == [
                "c_total{room=\"0\"} 1", "c_total{room=\"1\"} 2", "c_total{room=\"2\"} 1", "c_total{room=\"other\"} 8",
            ]
        )
        #expect(
            self.log.all == [
                "a metric is not counted as it was meant to be metric=c_total "
                    + "reason=it has reached its limit of label sets: further ones are counted as other"
            ]
        )
    }

    @Test func `a name that means something else is not shown, and the log says so once`() {
        let registry = self.registry()
        Metrics.Timer(label: "a", factory: registry).recordNanoseconds(1)
        for _ in 0..<2 {
            Recorder(label: "a_seconds", factory: registry).record(7)
            Gauge(label: "a_seconds_sum", factory: registry).record(7)
        }
        #expect(!registry.render().contains(" 7\n"))
        #expect(self.log.all.count == 2)
    }

    @Test func `what is destroyed is not shown, and its name is free again`() {
        let registry = self.registry()
        let first = Counter(label: "a", dimensions: [("x", "1")], factory: registry)
        let timer = Metrics.Timer(label: "b", factory: registry)
        Counter(label: "a", dimensions: [("x", "2")], factory: registry).increment()
        first.destroy()
        timer.destroy()
        Gauge(label: "b_seconds_sum", factory: registry).record(1)
        #expect(
            registry.render().split(separator: "\n").filter { !$0.hasPrefix("#") } == [
                "a_total{x=\"2\"} 1", "b_seconds_sum 1",
            ]
        )
        #expect(self.log.all == [])
    }

    @Test func `what counts for all beyond the limit outlives each of them`() {
        let registry = self.registry(limit: 1)
        let counters = ["1", "2", "3"].map { Counter(label: "a", dimensions: [("x", $0)], factory: registry) }
        for counter in counters { counter.increment() }
        counters[1].destroy()
        #expect(registry.render().contains("a_total{x=\"other\"} 2"))
    }
}
