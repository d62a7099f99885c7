import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomTestKit
import Testing

@testable import RoomMetrics

struct LoopProbeTests {
    private let registry = PrometheusRegistry(descriptions: MetricDescription.broker, logger: LogLines().logger)

    @Test func `it tells by how much the loop is late, until it is ended`() {
        let loop = EmbeddedEventLoop()
        let now = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(5_000_000_000))
        let probe = LoopProbe(loops: [loop], factory: self.registry) { now.withLockedValue { $0 } }
        let tasks = probe.start()
        /// The loop gets to its timers after so long.
        func advance(_ milliseconds: Int64) {
            now.withLockedValue { $0 = $0 + .milliseconds(milliseconds) }
            loop.advanceTime(by: .milliseconds(100))
        }
        advance(100)
        #expect(self.longest == "0")
        advance(130)
        #expect(self.longest == "0.03")
        advance(100)
        #expect(self.longest == "0.03")
        #expect(self.figure("roomline_loop_latency_seconds_count") == "3")
        for task in tasks { task.cancel() }
        advance(500)
        #expect(self.figure("roomline_loop_latency_seconds_count") == "3")
    }

    private var longest: String? { self.figure("roomline_loop_latency_max_seconds") }

    private func figure(_ name: String) -> String? {
        let line = self.registry.render().split(separator: "\n").first { $0.hasPrefix("\(name){") }
        return line?.split(separator: " ").last.map(String.init)
    }
}
