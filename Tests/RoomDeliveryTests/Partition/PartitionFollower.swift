import NIOCore
import NIOEmbedded
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomDelivery

/// A node that follows a partition, and what it is told.
final class PartitionFollower: PartitionDelegate {
    let loop: EmbeddedEventLoop
    let history: TestHistory
    let node: NodeNumber
    private(set) var records: [AppliedRecord] = []
    private(set) var answers: [RoomAnswer] = []
    private(set) var states: [PartitionState] = []
    private(set) lazy var partition = FollowedPartition(self.environment, on: self.loop, self)
    private let log: MemoryPartition

    init(_ node: UInt32, of log: MemoryPartition, on loop: EmbeddedEventLoop, _ history: TestHistory = TestHistory()) {
        self.node = NodeNumber(rawValue: node)
        self.log = log
        self.loop = loop
        self.history = history
    }

    private var environment: PartitionEnvironment {
        PartitionEnvironment(
            partition: 0,
            logName: "chat",
            node: self.node,
            limits: BrokerLimits(),
            log: { [log, loop] in MemoryPartitionLog(log, on: loop) },
            history: self.history
        )
    }

    func applied(_ record: AppliedRecord) { self.records.append(record) }
    func answered(_ answers: [RecordSender.Answer]) { self.answers += answers.map(\.answer) }
    func partitionChanged(to state: PartitionState) { self.states.append(state) }

    var state: PartitionState { self.partition.state }
    var places: [UInt64] { self.records.map(\.place.rawValue) }

    /// The messages that its rooms have told.
    var messages: [String] {
        self.records.flatMap(\.batches).flatMap(\.batch.entries).compactMap { entry in
            if case .message(let message) = entry.content { String(buffer: message) } else { nil }
        }
    }

    /// The callbacks of those that were refused.
    var refused: [Int64?] {
        self.answers.compactMap { if case .refused(let origin, _) = $0.content { origin.callback } else { nil } }
    }

    func start() {
        self.partition.start()
        self.loop.run()
    }

    /// One turn of the event loop.
    ///
    /// - Returns: why the last one was refused at once.
    @discardableResult
    func publish(_ messages: String...) -> Code? {
        var answer: RoomAnswer?
        for message in messages {
            answer = self.partition.add(.publish(.make(message, messageID: UInt64(message.utf8.count))), in: .make())
        }
        self.loop.run()
        return if case .refused(_, let error) = answer?.content { error.code } else { nil }
    }

    func pass(_ time: TimeAmount) { self.loop.advanceTime(by: time) }
}

extension FollowedPartition {
    /// Adds a command in a room with a long history and half a minute of grace.
    func add(_ command: RoomCommand, in room: RoomKey) -> RoomAnswer? {
        let channel = RoomChannel(settings: .make(history: 1_000, grace: .seconds(25)))
        let settings = channel.roomSettings(of: room.room, BrokerLimits())
        return self.add(PartitionRecord.Command(command, in: room, settings))
    }
}
