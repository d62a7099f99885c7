package import NIOCore

/// The port to a node's own copy of the history of the partitions that it follows. It is made behind the rooms, and nobody waits
/// for it but those who read.
///
/// Duties of a store:
/// - Of a write, everything is stored in one transaction or nothing: what its rooms have, its place, and its snapshot.
/// - Epochs are the partition's; the store gives none of its own.
/// - Completions are called on a thread of the store's. No call blocks.
package protocol ProjectedHistory: Sendable {
    /// Tells how far the history has what the log of this partition says.
    ///
    /// - Parameter log: names the logs of all partitions: a place means nothing in others.
    func openPartition(
        _ partition: Int,
        of log: String,
        completion: @escaping @Sendable (Result<ProjectedPartition, ProjectionError>) -> Void
    )

    /// Stores what records have changed. A write is stored once, however often it is called for: one whose outcome is unknown
    /// (`.unavailable`) can be repeated as it is. `.reset`: the history does not end where the write goes on.
    func store(_ write: ProjectionWrite, completion: @escaping @Sendable (Result<Void, EngineError>) -> Void)
}

/// The history of a partition as it is found.
package struct ProjectedPartition: Equatable, Sendable {
    package var partition: Int
    /// `LogID.generation`.
    package var generation: Int
    /// The newest record of which everything is stored; `nil`: nothing is.
    package var newest: KnownRecord?
    /// `Partition.encoded` at that place or at an earlier one: the records behind it have to be applied again. `nil`: all of them.
    package var snapshot: ByteBuffer?

    package var place: LogOffset? { self.newest?.place }

    package init(partition: Int, generation: Int, newest: KnownRecord?, snapshot: ByteBuffer?) {
        self.partition = partition
        self.generation = generation
        self.newest = newest
        self.snapshot = snapshot
    }
}

/// Why the history cannot follow a log.
package enum ProjectionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk is full, the file cannot be written: try again later.
    case unavailable
    /// The history has rooms and follows no log.
    case ownHistory
    /// The history follows the log with this name.
    case otherLog(String)

    package var description: String {
        switch self {
        case .unavailable: "the history cannot be written now; the broker's log says why"
        case .ownHistory:
            "the history is that of a broker that runs alone: start the node with an empty data directory, or begin the cluster"
                + " with this one: roomline cluster begin"
        case .otherLog(let name):
            "the history follows the log \(name): start the node with that cluster, or with an empty data directory"
        }
    }
}
