/// One life of one node of a cluster: a number that the cluster gives to each process that joins it, and to no other one. So
/// what is said of a connection of an earlier life is never taken for one of this life.
package struct NodeNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A node of which the logs have shown nothing for so long is taken for dead. A machine that was paused for less comes back as itself.
    package static let longestSilence = Duration.seconds(30)

    /// A broker that runs alone.
    package static let alone = NodeNumber(rawValue: 0)
}

/// Names a connection across event loops, and nodes, without holding it.
package struct ConnectionRef: Hashable, Sendable {
    /// Unique within the shard; never used again.
    package let number: UInt64
    /// The node that it is connected to.
    package let node: NodeNumber
    // as small as the number, so that the node takes no more memory
    private let shardIndex: UInt32

    /// The index of its shard.
    package var shard: Int { Int(self.shardIndex) }

    package init(shard: Int, number: UInt64, node: NodeNumber = .alone) {
        self.shardIndex = UInt32(truncatingIfNeeded: shard)
        self.number = number
        self.node = node
    }
}

/// Where the answer to a request goes.
package struct Origin: Hashable, Sendable {
    package let connection: ConnectionRef
    /// `nil`: the client wants no answer, errors excepted.
    package let callback: Int64?
    /// A connection has one query at a time under way: the next one waits for this answer.
    package let isQuery: Bool

    package init(connection: ConnectionRef, callback: Int64?, isQuery: Bool = false) {
        self.connection = connection
        self.callback = callback
        self.isQuery = isQuery
    }
}
