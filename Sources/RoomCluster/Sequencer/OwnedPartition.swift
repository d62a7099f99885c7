import DequeModule
import NIOCore
import RoomCore
import RoomDelivery
import RoomModel

/// A partition of the cluster whose rooms a shard owns: it sends what this node's clients do to the log, and has the owner seal what
/// the log brings about.
final class OwnedPartition: PartitionDelegate {
    private unowned let sequencer: LogSequencer
    private let environment: PartitionEnvironment
    private let file: any LogReader
    private(set) lazy var followed = FollowedPartition(self.environment, on: self.context.eventLoop, self)
    /// Reads its rooms.
    private(set) lazy var reader = PartitionReader(self.followed, on: self.context.eventLoop, history: self.file)
    /// Messages of this node's clients that the log has not shown, in the order of the records that have them.
    private var unstored: Deque<Unstored> = []
    /// What this node's clients ask behind something that the log has not shown.
    private var questions: Deque<Question> = []
    /// Orders of administrators that the log has not shown, by the number of their record.
    private var orders: Deque<Order> = []
    /// Those who wait until a place is applied here, in no order.
    private var waiting: [Wait] = []
    private var hasBeenReady = false

    private struct Unstored {
        let record: UInt64
        let room: LogRoom
        var bytes: Int
    }

    private struct Order {
        let record: UInt64
        let completion: (AppliedRecord?) -> Void
        let end: Scheduled<Void>
    }

    private struct Wait {
        let place: LogOffset
        let completion: () -> Void
    }

    private struct Question {
        let record: UInt64
        let entry: PartitionRecord.Command
    }

    /// - Parameter reader: of the file into which the partition is stored.
    init(_ environment: PartitionEnvironment, _ sequencer: LogSequencer, reader: any LogReader) {
        self.environment = environment
        self.sequencer = sequencer
        self.file = reader
    }

    private var owner: RoomOwner { self.sequencer.owner }
    private var context: ShardContext { self.owner.context }

    // MARK: Commands

    /// Sends a command on its way to the log; one that only asks is answered here, behind what was sent before.
    ///
    /// - Returns: the answer to it where it cannot be sent.
    func take(_ entry: PartitionRecord.Command) -> RoomAnswer? {
        switch entry.command {
        case .members, .history, .locate:
            self.ask(entry)
            return nil
        default: return self.followed.add(entry)
        }
    }

    private func ask(_ entry: PartitionRecord.Command) {
        let sender = self.followed.sender
        self.questions.append(Question(record: sender.newestCommand, entry: entry))
        guard sender.isGone || sender.counted >= sender.newestCommand else { return }
        // not before whoever asks has done so
        let bound = NIOLoopBound(self, eventLoop: self.context.eventLoop)
        self.context.ref.post { _ in bound.value.answerQuestions() }
    }

    /// - Returns: the answer where the log has to be asked, and cannot be.
    private func answer(_ question: PartitionRecord.Command) -> RoomAnswer? {
        guard !self.followed.sender.isGone, let room = self.sequencer.room(question.room),
            // else the log brings the room what this node knows of its channel
            room.settings.version >= question.settings.version, let answer = room.answer(to: question.command),
            let owned = self.owner.room(question.room), answer.connection != nil
        else { return self.followed.add(question) }
        self.owner.deliver(answer, of: owned)
        return nil
    }

    /// Answers what the log is far enough for, or will never be.
    private func answerQuestions() {
        let sender = self.followed.sender
        while let first = self.questions.first, first.record <= sender.counted || sender.isGone {
            self.questions.removeFirst()
            if let refusal = self.answer(first.entry) { self.owner.send(refusal, of: first.entry.room) }
        }
    }

    /// Nobody knows what has become of what was sent before.
    private func refuseQuestions() {
        for question in self.questions {
            let (command, key) = (question.entry.command, question.entry.room)
            if let refusal = command.refused(LogSequencer.unreachable, in: key.room) {
                self.owner.send(refusal, of: key)
            }
        }
        self.questions = []
    }

    /// So many bytes of what was taken last wait until the log shows them.
    func waits(_ bytes: Int, of room: LogRoom) {
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
            self.sequencer.ended(first.bytes, of: first.room)
        }
    }

    // MARK: Orders of administrators

    /// Has messages of a room deleted on all nodes.
    ///
    /// - Parameter completion: whether the log has it; called once.
    func prune(_ room: RoomKey, through place: Position, _ completion: @escaping (Bool) -> Void) {
        guard !self.followed.sender.isGone else { return completion(false) }
        self.followed.addPruned(room, through: place)
        self.wait { completion($0 != nil) }
    }

    /// Has the rooms as they are now stored in the node's history, with all that they have.
    ///
    /// - Parameter completion: whether they are; called once.
    func storeSnapshot(_ completion: @escaping @Sendable (Bool) -> Void) {
        guard !self.followed.sender.isGone else { return completion(false) }
        self.followed.addSnapshot()
        self.wait { [followed = self.followed] record in
            guard record != nil else { return completion(false) }
            followed.whenStored { completion((try? $0.get()) != nil) }
        }
    }

    /// Has a part of an export become messages of a room on all nodes.
    ///
    /// - Parameter completion: what has become of it; `nil`: nobody knows. Called once.
    func importPart(_ part: ImportRecord, _ completion: @escaping (ImportRecord.Outcome?) -> Void) {
        guard !self.followed.sender.isGone else { return completion(nil) }
        self.followed.addImport(part)
        self.wait { completion($0?.imported) }
    }

    /// - Parameter completion: what the order that was sent last has done; `nil`: nobody knows.
    private func wait(_ completion: @escaping (AppliedRecord?) -> Void) {
        let record = self.followed.sender.newest
        let bound = NIOLoopBound(self, eventLoop: self.context.eventLoop)
        let end = self.context.eventLoop.scheduleTask(in: Self.longestWait) { bound.value.endWait(for: record) }
        self.orders.append(Order(record: record, completion: completion, end: end))
    }

    /// The log may elect a leader meanwhile.
    private static let longestWait = TimeAmount.seconds(15)

    private func endWait(for record: UInt64) {
        guard let index = self.orders.firstIndex(where: { $0.record == record }) else { return }
        self.orders.remove(at: index).completion(nil)
    }

    /// - Parameter record: of this node's, if it is one, with what came of it.
    private func answerOrders(_ record: AppliedRecord? = nil) {
        let sender = self.followed.sender
        while let first = self.orders.first, first.record <= sender.counted || sender.isGone {
            self.orders.removeFirst()
            first.end.cancel()
            first.completion(first.record == sender.counted ? record : nil)
        }
    }

    // MARK: Other nodes

    /// Calls when the rooms are as far as a place of the log; at once where they serve nobody yet, and never where too many wait.
    func whenApplied(_ place: LogOffset, _ completion: @escaping () -> Void) {
        guard self.hasBeenReady, let newest = self.followed.partition?.accepted.place, newest < place else {
            return completion()
        }
        if self.waiting.count < Self.mostWaits { self.waiting.append(Wait(place: place, completion: completion)) }
    }

    private static let mostWaits = 10_000

    private func endWaits(through place: LogOffset) {
        guard !self.waiting.isEmpty else { return }
        let ended = self.waiting.filter { $0.place <= place }
        self.waiting.removeAll { $0.place <= place }
        for wait in ended { wait.completion() }
    }

    // MARK: What the log brings about

    func applied(_ record: AppliedRecord) {
        self.endWaiting()
        self.answerOrders(record)
        if let pruned = record.pruned {
            self.owner.pruned(pruned.log.room, through: Position(epoch: pruned.log.epoch, seq: pruned.seq))
        }
        for (batch, encoded) in zip(record.batches, record.encoded) {
            guard record.wasAnswered else {
                self.sequencer.applied(batch, encoded, isOurs: record.isOurs)
                continue
            }
            // who was told that nobody knows hears no other answer
            var encoded = encoded
            encoded.keepAnswers(where: \.isNoAnswer)
            self.sequencer.applied(batch, encoded, isOurs: record.isOurs)
            self.leaveAgain(batch)
        }
        self.answerQuestions()
        self.endWaits(through: record.place)
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
        self.refuseQuestions()
        self.answerOrders()
    }

    func partitionChanged(to state: PartitionState) {
        if state == .ready, !self.hasBeenReady {
            self.hasBeenReady = true
            self.sequencer.began(self.followed.partition)
        }
        self.sequencer.cluster.stateChanged(self.environment.partition, state)
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
