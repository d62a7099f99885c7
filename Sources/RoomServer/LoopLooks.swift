import NIOConcurrencyHelpers
import NIOPosix

/// Counts how often each event loop has looked at its sockets: once for each of its ticks.
final class LoopLooks: NIOEventLoopMetricsDelegate {
    private let counts = NIOLockedValueBox<[ObjectIdentifier: Int]>([:])

    func processedTick(info: NIOEventLoopTickInfo) {
        self.counts.withLockedValue { $0[info.eventLoopID, default: 0] &+= 1 }
    }

    func count(of loop: ObjectIdentifier) -> Int { self.counts.withLockedValue { $0[loop] ?? 0 } }
}
