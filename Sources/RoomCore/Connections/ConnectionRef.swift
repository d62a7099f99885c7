/// Names a connection across event loops without holding it.
package struct ConnectionRef: Hashable, Sendable {
    /// The index of its shard.
    package let shard: Int
    /// Unique within the shard; never used again.
    package let number: UInt64

    package init(shard: Int, number: UInt64) {
        self.shard = shard
        self.number = number
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
