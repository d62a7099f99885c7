package import RoomCore
package import RoomModel

/// A node that has just started knows of nobody: the others tell it what they know, so that a client can go on there, too.
extension PastNodes {
    /// Times are those that have passed, in nanoseconds.
    package struct Told: Equatable, Sendable {
        /// For how long each node has been silent.
        package var nodes: [NodeNumber: UInt64]
        /// How long ago each client was let go, the last ones of them.
        package var expelled: [ClientID: UInt64]

        package init(nodes: [NodeNumber: UInt64], expelled: [ClientID: UInt64]) {
            self.nodes = nodes
            self.expelled = expelled
        }
    }

    /// So many clients fit into one answer.
    private static let clientsTold = 10_000

    package func told(now: UInt64) -> Told {
        let newest = self.expelled.sorted { $0.value > $1.value }.prefix(Self.clientsTold)
        return Told(
            nodes: self.nodes.mapValues { now - min(now, $0.heard) },
            expelled: Dictionary(uniqueKeysWithValues: newest.map { ($0.key, now - min(now, $0.value)) })
        )
    }

    /// Takes what another node knows. A time from before this machine was up is left out.
    package mutating func learn(_ told: Told, now: UInt64) {
        for (node, silence) in told.nodes where silence <= min(now, Self.memory) {
            let heard = max(self.nodes[node]?.heard ?? 0, now - silence)
            self.nodes[node, default: Node(heard: heard)].heard = heard
        }
        for (client, age) in told.expelled where age <= min(now, Self.memory) {
            self.expelled[client] = max(self.expelled[client] ?? 0, now - age)
        }
    }
}
