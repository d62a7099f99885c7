package import RoomCore
package import RoomModel

/// When each node was heard last, and which sessions of nodes that are gone have been resumed here. Pure: times come in, monotonic
/// and in nanoseconds.
package struct PastNodes: Sendable {
    private struct Node {
        var heard: UInt64
        var claimed: Set<ClientID> = []
    }

    private var nodes: [NodeNumber: Node] = [:]

    /// A node is remembered for so long: nobody's grace counts for longer here.
    package static let memory: UInt64 = 3_600_000_000_000

    package init() {}

    package mutating func heard(_ node: NodeNumber, now: UInt64) {
        self.nodes[node, default: Node(heard: now)].heard = now
        self.nodes = self.nodes.filter { now - $0.value.heard <= Self.memory }
    }

    /// How long it has not been heard; `nil`: it is unknown.
    package func silence(of node: NodeNumber, now: UInt64) -> Duration? {
        self.nodes[node].map { .nanoseconds(Int64(now - min(now, $0.heard))) }
    }

    /// Whether the session of this client has not been resumed before.
    package mutating func claim(_ client: ClientID, of node: NodeNumber) -> Bool {
        self.nodes[node]?.claimed.insert(client).inserted ?? false
    }
}
