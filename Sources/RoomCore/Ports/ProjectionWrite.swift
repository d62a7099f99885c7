package import NIOCore
import RoomModel

/// What some records of a partition, one after the other, have changed in the history: to be stored in one transaction.
package struct ProjectionWrite: Equatable, Sendable {
    package let partition: Int
    /// `ProjectedPartition.generation`.
    package let generation: Int
    /// Everything through this place is stored already; `nil`: nothing is.
    package var after: LogOffset?
    package var through: LogOffset
    /// When the log took the record there, in Unix milliseconds.
    package var recordTime: Int64 = 0
    /// The partition's time there, in Unix milliseconds: what retention keeps is counted from it.
    package var time: Int64 = 0
    /// One of each room.
    package private(set) var changes: [RoomChange] = []
    /// `Partition.encoded`, at `through` or before.
    package var snapshot: ByteBuffer?
    /// The bytes of memory that the changes take, about.
    package private(set) var bytes = 0
    private var indices: [RoomKey: Int] = [:]

    package init(partition: Int, generation: Int, through: LogOffset) {
        self.partition = partition
        self.generation = generation
        self.through = through
    }

    package mutating func add(_ change: RoomChange) {
        self.bytes += change.bytes
        if let index = self.indices[change.room] {
            self.changes[index].goOn(with: change)
        } else {
            self.indices[change.room] = self.changes.count
            self.changes.append(change)
        }
    }
}
