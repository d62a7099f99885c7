/// Tells what the cluster is like of which the broker is a node.
package protocol ClusterReporter: Sendable {
    /// As of now. Nodes and servers that do not answer within a second are left out, or said to be silent.
    func clusterReport() async -> ClusterReport

    /// Asks all other nodes that live, or were heard lately.
    func query(_ query: NodeQuery) async -> [NodeView]

    /// A node that lives, or was heard lately, and cannot read records of this level; `nil`: all can.
    func node(below level: RecordLevel) -> NodeView?

    /// This node, for those who list all.
    var thisNode: NodeView { get }
}
