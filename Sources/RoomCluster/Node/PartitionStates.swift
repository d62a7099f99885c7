import NIOConcurrencyHelpers
import NIOCore
import RoomDelivery

/// The state of each partition on this node, told by their event loops and waited for by one task at a time.
package final class PartitionStates: Sendable {
    private let states: NIOLockedValueBox<[PartitionState]>
    /// Since when a partition is cut off from its log, by its number.
    private let cutOff = NIOLockedValueBox<[Int: NIODeadline]>([:])
    private let otherFailure = NIOLockedValueBox<String?>(nil)
    private let changes: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(_ partitions: Int) {
        self.states = NIOLockedValueBox(Array(repeating: .catchingUp, count: partitions))
        (self.changes, self.signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func changed(_ partition: Int, to state: PartitionState) {
        self.states.withLockedValue { $0[partition] = state }
        self.cutOff.withLockedValue { $0[partition] = state == .disconnected ? .now() : nil }
        self.signal.yield()
    }

    /// An election takes less (docs/cluster.md).
    private static let longestElection = TimeAmount.seconds(10)

    /// A partition has been cut off from its log for longer than servers take to elect a leader: another node may reach it.
    var standsStill: Bool {
        self.cutOff.withLockedValue { $0.values.contains { .now() - $0 > Self.longestElection } }
    }

    /// The node cannot go on for another reason.
    func fail(_ text: String) {
        self.otherFailure.withLockedValue { $0 = text }
        self.signal.yield()
    }

    /// How many partitions are in which state.
    package struct Summary: Equatable {
        package internal(set) var partitions = 0
        package internal(set) var ready = 0
        package internal(set) var catchingUp = 0
        package internal(set) var disconnected = 0
        package internal(set) var failing = 0
        var ended = 0
        /// Why the node cannot go on, for an operator.
        var failure: String?

        package var areAllReady: Bool { self.ready == self.partitions }
        var canServe: Bool { self.ready > 0 && self.ready + self.disconnected == self.partitions }
        var haveAllEnded: Bool { self.ended == self.partitions }
    }

    var summary: Summary {
        var summary = Summary(failure: self.otherFailure.withLockedValue(\.self))
        for state in self.states.withLockedValue(\.self) {
            summary.partitions += 1
            switch state {
            case .ready: summary.ready += 1
            case .catchingUp: summary.catchingUp += 1
            case .disconnected: summary.disconnected += 1
            case .failing: summary.failing += 1
            case .closed: summary.ended += 1
            case .failed(let failure):
                summary.ended += 1
                summary.failure = summary.failure ?? failure.text
            }
        }
        return summary
    }

    /// The state of each partition as a word, for an operator.
    var words: [String] {
        self.states.withLockedValue(\.self).map { state in
            switch state {
            case .catchingUp: "catching_up"
            case .ready: "ready"
            case .disconnected: "disconnected"
            case .failing: "failing"
            case .failed: "failed"
            case .closed: "closed"
            }
        }
    }

    /// All that `words` can have.
    static let words = ["catching_up", "ready", "disconnected", "failing", "failed", "closed"]

    /// Waits until the summary is as wanted; ends sooner where the task is cancelled.
    func wait(until isWanted: (Summary) -> Bool) async {
        if isWanted(self.summary) { return }
        for await _ in self.changes where isWanted(self.summary) { return }
    }
}
