import NIOConcurrencyHelpers
package import NIOCore
import RoomCluster
package import RoomCore
import RoomDelivery
package import RoomModel

/// A cluster in memory: the logs of its partitions, and the brokers that follow them. Confined to the thread of the test.
package final class MemoryCluster {
    private let partitions: [MemoryPartition]
    /// Of the logs.
    package let clock: ManualClock
    private let level: RecordLevel
    private var nodes: [Node] = []
    private let sessions = MemorySessions()

    private struct Node {
        weak var broker: TestBroker?
    }

    /// - Parameter level: of the records that all nodes can read.
    package init(partitions count: Int = 2, clock: ManualClock = ManualClock(), level: RecordLevel = .newest) {
        self.clock = clock
        self.level = level
        self.partitions = (0..<count).map { _ in MemoryPartition { clock.now } }
    }

    /// For a node with this history.
    func environment(
        _ engine: MemoryEngine,
        _ stateChanged: @escaping @Sendable (Int, PartitionState) -> Void
    ) -> ClusterEnvironment {
        ClusterEnvironment(
            partitions: self.partitions.count,
            logName: "test",
            log: { [partitions] number, loop in MemoryPartitionLog(partitions[number], on: loop) },
            history: engine,
            reader: engine,
            sessions: self.sessions,
            canAllRead: { [level] in $0 <= level },
            stateChanged: stateChanged
        )
    }

    func add(_ broker: TestBroker) {
        self.nodes.append(Node(broker: broker))
        self.sessions.add(broker.environment.node, broker.shards)
    }

    /// The node answers nobody any more.
    func silence(_ node: NodeNumber) { self.sessions.silence(node) }

    /// See `MemoryPartition.setReachable`.
    package func setReachable(_ isReachable: Bool) {
        for partition in self.partitions { partition.setReachable(isReachable) }
    }

    /// The same of one log, which this room's commands go through.
    package func setReachable(_ isReachable: Bool, logOf room: RoomKey) {
        self.partitions[room.partition(among: self.partitions.count)].setReachable(isReachable)
    }

    /// Time passes, for the logs and for all nodes.
    package func advance(by time: TimeAmount) {
        self.clock.advance(milliseconds: time.nanoseconds / 1_000_000)
        for case let broker? in self.nodes.map(\.broker) { broker.advance(by: time) }
    }

    private var records: Int { self.partitions.reduce(0) { $0 + $1.count } }

    /// Lets the nodes do all that can be done now, `broker` first.
    func runAll(_ broker: TestBroker, _ run: (TestBroker) -> Void) {
        var (records, answers): (Int, Int)
        repeat {
            (records, answers) = (self.records, self.sessions.answers)
            run(broker)
            for case let other? in self.nodes.map(\.broker) where other !== broker { run(other) }
        } while (self.records, self.sessions.answers) != (records, answers)
    }
}
