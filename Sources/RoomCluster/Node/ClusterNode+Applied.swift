import Logging
import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomDelivery
import RoomJSON

/// How far the nodes have applied the logs: what a moderator does holds on all of them before it is answered.
extension ClusterNode {
    /// As long as for a change in the control stream: a node that hangs holds up nobody for longer.
    private static let longestWait = TimeAmount.seconds(10)
    /// Before a node is asked again that could not be reached.
    private static let pause = Duration.milliseconds(100)

    /// Returns when all other nodes that live have applied the log of a partition through a place, or after ten seconds.
    func waitForOthers(toApply partition: Int, through place: LogOffset) async {
        let end = NIODeadline.now() + Self.longestWait
        await withDiscardingTaskGroup { group in
            for node in self.othersToAsk {
                group.addTask { await self.wait(for: node, toApply: partition, through: place, until: end) }
            }
        }
    }

    private func wait(
        for node: NodeNumber,
        toApply partition: Int,
        through place: LogOffset,
        until end: NIODeadline
    ) async {
        while self.othersToAsk.contains(node) {
            guard NIODeadline.now() < end else {
                self.logger.warning(
                    "a node of the cluster is late with a record",
                    metadata: [
                        "node": "\(node.rawValue)", "partition": "\(partition)", "place": "\(place.rawValue)",
                    ]
                )
                return
            }
            if await self.ask(node, .applied(partition: partition, place)) != nil { return }
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
        }
    }

    /// The other nodes that live, but for those of a release that does not know the question.
    private var othersToAsk: Set<NodeNumber> {
        self.others.withLockedValue { others in
            others.serving(but: self.number).filter { node in
                guard let heartbeat = others.newest[node]?.heartbeat else { return true }
                return heartbeat.records >= .orders && heartbeat.control != .max
            }
        }
    }

    /// Answers another node when its own clients see what the log has brought about.
    func whenApplied(_ place: LogOffset, in partition: Int, _ give: @escaping @Sendable (ByteBuffer) -> Void) {
        let shards = self.shards.withLockedValue(\.self)
        guard !shards.isEmpty else { return }
        shards[partition % shards.count].post { shard in
            shard.whenApplied(place, in: partition) {
                Task {
                    await shards.waitForOwners()
                    give(JSONTree.object([]).bytes)
                }
            }
        }
    }
}
