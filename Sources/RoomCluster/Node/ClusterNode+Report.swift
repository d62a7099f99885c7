import NIOConcurrencyHelpers
import NIOCore
package import RoomCore
import RoomDelivery
package import RoomMetrics

/// What the cluster is like, for those who look after it.
extension ClusterNode: ClusterReporter {
    private struct Seen {
        let number: NodeNumber
        let heartbeat: NodeHeartbeat
        let silence: Duration

        /// A heartbeat may be late by half.
        var isSilent: Bool { self.silence > .milliseconds(1_500) }
    }

    package func clusterReport() async -> ClusterReport {
        async let streams = self.link.streamReport()
        let seen = self.seen
        let newest = self.control.made
        let figures = await withTaskGroup(of: (NodeNumber, NodeFigures?).self) { group in
            for node in seen { group.addTask { (node.number, await self.figures(of: node.number)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let nodes = seen.map { node in
            ClusterReport.Node(
                number: node.number,
                host: node.heartbeat.host,
                version: node.heartbeat.version,
                isThis: node.number == self.number,
                state: node.isSilent ? .silent : node.heartbeat.isReady ? .ready : .notReady,
                silence: node.silence,
                changesBehind: newest - min(newest, node.heartbeat.control),
                figures: figures[node.number] ?? nil
            )
        }
        return ClusterReport(
            name: self.streams.name.text,
            replicas: self.streams.replicas,
            syncs: self.syncs,
            nodes: nodes.sorted { $0.number.rawValue < $1.number.rawValue },
            streams: await streams
        )
    }

    package func node(below level: RecordLevel) -> NodeView? {
        self.seen.first { $0.heartbeat.records < level }
            .map { NodeView(number: $0.number, host: $0.heartbeat.host, document: nil) }
    }

    package var thisNode: NodeView { NodeView(number: self.number, host: Self.host, document: nil) }

    package func query(_ query: NodeQuery) async -> [NodeView] {
        let others = self.seen.filter { $0.number != self.number }
        return await withTaskGroup(of: NodeView.self) { group in
            for node in others {
                group.addTask {
                    let document = await self.ask(node.number, .query(query))
                    return NodeView(number: node.number, host: node.heartbeat.host, document: document)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.number.rawValue < $1.number.rawValue }
        }
    }

    /// This node, and the others by their newest heartbeats.
    private var seen: [Seen] {
        let now = NIODeadline.now().uptimeNanoseconds
        let others = self.others.withLockedValue(\.newest).filter { $0.key != self.number }
        // one that is about to end has told that nobody has to wait for it
        let living = others.filter { $0.value.heartbeat.control != .max }
        let own = Seen(
            number: self.number,
            heartbeat: self.heartbeat(control: self.control.inEffect),
            silence: .zero
        )
        return [own]
            + living.map { number, newest in
                let silence = Duration.nanoseconds(Int64(now - min(now, newest.heard)))
                return Seen(number: number, heartbeat: newest.heartbeat, silence: silence)
            }
    }

    /// What can be told without asking anybody.
    package var metrics: ClusterFigures {
        var partitions = Dictionary(uniqueKeysWithValues: PartitionStates.words.map { ($0, 0) })
        for word in self.partitions.words { partitions[word, default: 0] += 1 }
        return ClusterFigures(nodes: self.seen.filter { !$0.isSilent }.count, partitions: partitions)
    }

    private func figures(of node: NodeNumber) async -> NodeFigures? {
        if node == self.number { return await self.figures() }
        return await self.ask(node, .figures).flatMap(NodeFigures.init(answer:))
    }

    /// Those of this node.
    func figures() async -> NodeFigures {
        var places: [Int: LogOffset] = [:]
        var connections = 0
        for shard in self.shards.withLockedValue(\.self) {
            // a loop that is shut down has none
            guard let own = try? await shard.ask({ ($0.connectionTotal, $0.partitionPlaces) }).get() else { continue }
            connections += own.0
            places.merge(own.1) { $1 }
        }
        let partitions = self.partitions.words.enumerated().map { index, word in
            NodeFigures.Partition(state: word, place: places[index]?.rawValue ?? 0)
        }
        return NodeFigures(connections: connections, partitions: partitions)
    }
}
