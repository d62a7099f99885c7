package import Metrics
package import RoomCore

/// How the history commits.
package struct CommitInstruments: CommitObserver {
    private let duration: Metrics.Timer
    private let messages: Recorder
    private let bytes: Counter

    package init(factory: any MetricsFactory) {
        self.duration = Metrics.Timer(label: "roomline.commit.duration", factory: factory)
        self.messages = Recorder(label: "roomline.commit.messages", factory: factory)
        self.bytes = Counter(label: "roomline.committed.bytes", factory: factory)
    }

    package func committed(_ commit: ObservedCommit) {
        self.duration.recordNanoseconds(commit.nanoseconds)
        self.messages.record(commit.entries)
        self.bytes.increment(by: commit.bytes)
    }
}
