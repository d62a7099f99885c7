package import Metrics
import NIOConcurrencyHelpers
package import NIOCore

/// Measures how long event loops take to get to new work.
package struct LoopProbe: Sendable {
    private struct Loop: Sendable {
        let loop: any EventLoop
        let latency: Metrics.Timer
        let longest: Meter
        let recent = NIOLockedValueBox(RecentMaximum())
    }

    private let loops: [Loop]

    package init(loops: [any EventLoop], factory: any MetricsFactory) {
        self.loops = loops.enumerated().map { index, loop in
            let dimensions = [("loop", "\(index)")]
            return Loop(
                loop: loop,
                latency: Metrics.Timer(label: "roomline.loop.latency", dimensions: dimensions, factory: factory),
                longest: Meter(label: "roomline.loop.latency.max.seconds", dimensions: dimensions, factory: factory)
            )
        }
    }

    /// Asks every loop once; each answers into its instruments as soon as it gets to it.
    package func probe() {
        for loop in self.loops {
            let asked = NIODeadline.now()
            loop.loop.execute {
                let now = NIODeadline.now()
                let wait = (now - asked).nanoseconds
                loop.latency.recordNanoseconds(wait)
                loop.longest.set(Double(loop.recent.withLockedValue { $0.add(wait, now: now) }) / 1e9)
            }
        }
    }
}
