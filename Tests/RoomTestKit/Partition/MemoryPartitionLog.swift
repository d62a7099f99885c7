import NIOConcurrencyHelpers
package import NIOCore
package import RoomCluster
package import RoomCore

/// One node's `PartitionLog` on a log in memory. What is told comes on the event loop.
package final class MemoryPartitionLog: PartitionLog {
    private struct State {
        /// `nil`: it is not followed any more.
        var next: LogOffset?
        var isConnected = false
        var isClosed = false
    }

    private let partition: MemoryPartition
    private let loop: any EventLoop
    private let state = NIOLockedValueBox(State())

    package init(_ partition: MemoryPartition, on loop: any EventLoop) {
        self.partition = partition
        self.loop = loop
    }

    package func append(_ record: ByteBuffer) {
        guard !self.state.withLockedValue({ $0.isClosed }) else { return }
        self.partition.append(record)
    }

    /// - Parameter end: it loses nothing.
    package func follow(
        from first: LogOffset,
        reaching end: KnownRecord?,
        _ tell: @escaping @Sendable (PartitionLogEvent) -> Void
    ) {
        self.state.withLockedValue { $0.next = first }
        self.partition.add(self) { [weak self] in
            guard let self else { return }
            self.loop.execute { self.tellAll(tell) }
        }
    }

    package func doubt() { self.partition.doubt() }

    package func close() {
        self.state.withLockedValue { state in
            state.isClosed = true
            state.next = nil
        }
        self.partition.remove(self)
    }

    /// On the event loop.
    private func tellAll(_ tell: (PartitionLogEvent) -> Void) {
        while let event = self.next() { tell(event) }
    }

    private func next() -> PartitionLogEvent? {
        let isReachable = self.partition.isReachable
        return self.state.withLockedValue { state in
            guard let place = state.next else { return nil }
            guard isReachable == state.isConnected else {
                state.isConnected = isReachable
                return isReachable ? .connected : .disconnected
            }
            switch self.partition.next(place) {
            case .record(let place, let time, let bytes):
                state.next = place.next
                return .record(place, time: time, bytes: bytes)
            case .lost(let first):
                state.next = nil
                return .lost(first: first)
            case .none: return nil
            }
        }
    }
}
