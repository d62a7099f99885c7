/// What a node says of itself to the others.
package struct NodeFigures: Equatable, Sendable {
    package struct Partition: Equatable, Sendable {
        /// A word: `ready`, `catching_up`, `disconnected`, `failing`, `failed` or `closed`.
        package var state: String
        /// Everything through here is applied; 0: nothing.
        package var place: UInt64

        package init(state: String, place: UInt64) {
            self.state = state
            self.place = place
        }
    }

    package var connections: Int
    /// In their order.
    package var partitions: [Partition]

    package init(connections: Int, partitions: [Partition]) {
        self.connections = connections
        self.partitions = partitions
    }
}
