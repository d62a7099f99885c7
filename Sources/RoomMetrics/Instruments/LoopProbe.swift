package import Metrics
import NIOConcurrencyHelpers
package import NIOCore

/// Measures how long event loops take to get to new work: by how much a timer of theirs is late. Asked from another thread,
/// an idle broker would wake three threads for each measurement.
package struct LoopProbe: Sendable {
    private static let interval = TimeAmount.milliseconds(100)

    private struct Loop: Sendable {
        let loop: any EventLoop
        let latency: Metrics.Timer
        let longest: Meter
        let recent = NIOLockedValueBox(RecentMaximum())
    }

    private let loops: [Loop]
    private let now: @Sendable () -> NIODeadline

    package init(
        loops: [any EventLoop],
        factory: any MetricsFactory,
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.now = now
        self.loops = loops.enumerated().map { index, loop in
            let dimensions = [("loop", "\(index)")]
            return Loop(
                loop: loop,
                latency: Metrics.Timer(label: "roomline.loop.latency", dimensions: dimensions, factory: factory),
                longest: Meter(label: "roomline.loop.latency.max.seconds", dimensions: dimensions, factory: factory)
            )
        }
    }

    /// Begins to measure every loop, ten times a second.
    ///
    /// - Returns: what ends it.
    package func start() -> [RepeatedTask] {
        self.loops.map { [now] loop in
            let due = NIOLockedValueBox(now() + Self.interval)
            return loop.loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { _ in
                let now = now()
                let wait = due.withLockedValue { due in
                    defer { due = now + Self.interval }
                    return max(0, (now - due).nanoseconds)
                }
                loop.latency.recordNanoseconds(wait)
                loop.longest.set(Double(loop.recent.withLockedValue { $0.add(wait, now: now) }) / 1e9)
            }
        }
    }
}
