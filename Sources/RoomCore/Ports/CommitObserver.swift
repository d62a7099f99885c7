/// Is told of each commit of messages, once they are stored; on the engine's thread, so it must not block.
package protocol CommitObserver: Sendable {
    func committed(_ commit: ObservedCommit)
}

/// One transaction of the engine's.
package struct ObservedCommit: Equatable, Sendable {
    /// Appends that shared it.
    package var batches: Int
    /// Their messages.
    package var entries: Int
    package var bytes: Int
    /// From the begin of the transaction until its jobs were told, with the sync where they wait for one.
    package var nanoseconds: UInt64

    package init(batches: Int, entries: Int, bytes: Int, nanoseconds: UInt64) {
        self.batches = batches
        self.entries = entries
        self.bytes = bytes
        self.nanoseconds = nanoseconds
    }
}
