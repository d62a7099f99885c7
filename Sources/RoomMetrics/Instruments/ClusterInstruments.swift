import Metrics

/// What a node of a cluster knows of it without asking anybody.
package struct ClusterFigures: Equatable, Sendable {
    /// Those that were heard in the last seconds, this one among them.
    package var nodes: Int
    /// How many partitions are in each state on this node, by its word.
    package var partitions: [String: Int]

    package init(nodes: Int, partitions: [String: Int]) {
        self.nodes = nodes
        self.partitions = partitions
    }
}

struct ClusterInstruments {
    let factory: any MetricsFactory

    func take(_ figures: ClusterFigures) {
        Meter(label: "roomline.cluster.nodes", factory: self.factory).set(figures.nodes)
        for (state, count) in figures.partitions {
            Meter(label: "roomline.cluster.partitions", dimensions: [("state", state)], factory: self.factory).set(
                count
            )
        }
    }
}
