import DequeModule
import NIOCore
import RoomCore
import RoomModel

/// A partition of the cluster whose rooms a shard owns: it sends what this node's clients do to the log, and has the owner seal what
/// the log brings about.
final class OwnedPartition: PartitionDelegate {
    private unowned let partitions: OwnedPartitions
    private let environment: PartitionEnvironment
    private let file: any LogReader
    private(set) lazy var followed = FollowedPartition(self.environment, on: self.context.eventLoop, self)
    /// Reads its rooms.
    private(set) lazy var reader = PartitionReader(self.followed, on: self.context.eventLoop, history: self.file)
    /// Messages of this node's clients that the log has not shown, in the order of the records that have them.
    private var unstored: Deque<Unstored> = []

    private var hasBeenReady = false

    private struct Unstored {
        let record: UInt64
        let room: LoggedRoom
        var bytes: Int
    }

    /// - Parameter reader: of the file into which the partition is stored.
    init(_ environment: PartitionEnvironment, _ partitions: OwnedPartitions, reader: any LogReader) {
        self.environment = environment
        self.partitions = partitions
        self.file = reader
    }

    private var owner: RoomOwner { self.partitions.owner }
    private var context: ShardContext { self.owner.context }

    // MARK: Commands

    func take(_ command: RoomCommand, in key: RoomKey) -> RoomAnswer? { self.followed.add(command, in: key) }

    /// So many bytes of what was taken last wait until the log shows them.
    func waits(_ bytes: Int, of room: LoggedRoom) {
        let record = self.followed.sender.newest
        let last = self.unstored.indices.last
        if let last, self.unstored[last].record == record, self.unstored[last].room === room {
            self.unstored[last].bytes += bytes
        } else {
            self.unstored.append(Unstored(record: record, room: room, bytes: bytes))
        }
    }

    private func endWaiting() {
        let sender = self.followed.sender
        while let first = self.unstored.first, first.record <= sender.counted || sender.isGone {
            self.unstored.removeFirst()
            self.partitions.ended(first.bytes, of: first.room)
        }
    }

    // MARK: What the log brings about

    func applied(_ record: AppliedRecord) {
        self.endWaiting()
        for (batch, encoded) in zip(record.batches, record.encoded) {
            guard record.wasAnswered else {
                self.owner.applied(batch, encoded)
                continue
            }
            // who was told that nobody knows hears no other answer
            var encoded = encoded
            encoded.keepAnswers(where: \.isNoAnswer)
            self.owner.applied(batch, encoded)
            self.leaveAgain(batch)
        }
        self.context.wake()
    }

    /// Those who were told that it is not known whether they are in the room are not, unless they have asked again.
    private func leaveAgain(_ batch: Partition.Batch) {
        for case .joined(let admission) in batch.batch.answers.map(\.content) where !admission.join.isResync {
            let connection = admission.join.connection
            guard connection.node == self.environment.node else { continue }
            self.context.peers[connection.shard].post { $0.joinedLate(admission.join, batch.room) }
        }
    }

    func answered(_ answers: [RecordSender.Answer]) {
        self.endWaiting()
        for answer in answers { self.owner.send(answer.answer, of: answer.room) }
    }

    func partitionChanged(to state: PartitionState) {
        if state == .ready, !self.hasBeenReady {
            self.hasBeenReady = true
            self.owner.began(self.followed.partition)
        }
        self.context.environment.cluster?.stateChanged(self.environment.partition, state)
    }
}

extension RoomAnswer {
    /// It tells of what has happened in the room, and not only of a command of whom it is for.
    fileprivate var isNoAnswer: Bool {
        switch self.content {
        case .detached, .removed: true
        default: self.connection == nil
        }
    }
}
