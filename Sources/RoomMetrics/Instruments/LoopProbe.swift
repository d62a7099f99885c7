package import Metrics
package import NIOCore

/// Measures how long event loops take to get to new work.
package struct LoopProbe: Sendable {
    private let loops: [(loop: any EventLoop, latency: Metrics.Timer)]

    package init(loops: [any EventLoop], factory: any MetricsFactory) {
        self.loops = loops.enumerated().map { index, loop in
            let dimensions = [("loop", "\(index)")]
            return (loop, Metrics.Timer(label: "roomline.loop.latency", dimensions: dimensions, factory: factory))
        }
    }

    /// Asks every loop once; each answers into its timer as soon as it gets to it.
    package func probe() {
        for (loop, latency) in self.loops {
            let asked = NIODeadline.now()
            loop.execute { latency.recordNanoseconds((NIODeadline.now() - asked).nanoseconds) }
        }
    }
}
