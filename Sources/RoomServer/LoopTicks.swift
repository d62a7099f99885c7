import NIOPosix
import Synchronization

/// Counts how often each event loop has looked at its sockets: once for each of its ticks. Each loop counts on its own
/// thread, where the count is also read.
final class LoopTicks: NIOEventLoopMetricsDelegate {
    private final class Count: Sendable {
        let looks = Atomic(0)
    }

    private let count = ThreadSpecificVariable<Count>()

    func processedTick(info: NIOEventLoopTickInfo) {
        if let count = self.count.currentValue {
            count.looks.add(1, ordering: .relaxed)
        } else {
            let first = Count()
            first.looks.store(1, ordering: .relaxed)
            self.count.currentValue = first
        }
    }

    /// The looks of the event loop on whose thread this is called.
    var ofThisLoop: Int { self.count.currentValue?.looks.load(ordering: .relaxed) ?? 0 }
}
