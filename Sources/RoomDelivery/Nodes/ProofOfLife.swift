import Synchronization

/// When the logs last showed a node something that it had sent itself: until then it knows all that the cluster has agreed on.
/// A node that has not seen that for too long may be alone, and what it knows of bans, secrets and redactions may be over.
///
/// All shards of a node share it, and any thread may call. Times are monotonic, and in nanoseconds.
package final class ProofOfLife: Sendable {
    /// For so long a proof holds.
    package static let limit: UInt64 = 3_000_000_000
    /// Between two ticks of a node, each of them into another partition: while some elect a leader, others take what they are sent.
    package static let step: UInt64 = 500_000_000

    private let partitions: UInt64
    /// When the newest of what was seen had been sent.
    private let newest = Atomic<UInt64>(0)

    package init(partitions: Int) {
        self.partitions = UInt64(partitions)
    }

    /// Between two ticks into the same partition.
    package var interval: UInt64 { self.partitions * Self.step }

    /// When the first tick is due of a partition that is followed from now on.
    package func firstTick(of partition: Int, now: UInt64) -> UInt64 { now + (UInt64(partition) + 1) * Self.step }

    /// A log has shown a record that this node has sent.
    ///
    /// - Parameter time: when it was sent, at the earliest.
    package func seen(sentAt time: UInt64) { self.newest.max(time, ordering: .relaxed) }

    /// Whether it holds.
    package func holds(now: UInt64) -> Bool {
        let newest = self.newest.load(ordering: .relaxed)
        return now <= newest || now - newest <= Self.limit
    }
}
