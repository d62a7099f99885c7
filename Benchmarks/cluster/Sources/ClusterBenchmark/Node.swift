import NIOCore
import RoomCore
import RoomModel
import Synchronization

/// A node: it appends what its clients do to the partitions, follows all of them, and answers its clients when it applies
/// their commands.
final class Node: NATSReceiver {
    struct Settings {
        var index = 0
        var partitions = 1
        var prefix = "rl"
        var window = 8
        var heartbeat = Duration.seconds(1)
        /// Whether what the rooms tell is hashed.
        var hasDigest = false
        /// Where history is written to; `nil`: nowhere.
        var history: String?
        var load = Load.Settings()
    }

    private let state: Mutex<NodeState>
    private let projection: Projection?

    init(_ settings: Settings, _ connection: NATSConnection, incarnation: UInt64) throws {
        let projection = try settings.history.map { try Projection(at: $0) }
        self.projection = projection
        self.state = Mutex(NodeState(settings, connection, incarnation: incarnation, projection: projection))
    }

    /// Follows all partitions from now on.
    func run() {
        self.state.withLock { state in
            state.node = self
            state.follow()
        }
    }

    func received(_ message: borrowing NATSMessage) {
        if message.count > 0 {
            // its subject is the stream's: who it is for stands in its reply
            guard let delivery = message.reply.flatMap(ConsumerDelivery.init) else { return }
            let bytes = message.bytes
            self.state.withLock { $0.delivered(bytes, delivery) }
        } else if message.header("Status") != nil {
            let subject = message.subject.split(separator: ".")
            guard subject.count == 5, let partition = Int(subject[3]), let generation = Int(subject[4]) else { return }
            let last = message.header("Nats-Last-Consumer").flatMap { UInt64($0) }
            let flow = message.reply ?? message.header("Nats-Consumer-Stalled")
            self.state.withLock { $0.heartbeat(partition, generation, last: last, flow: flow) }
        }
    }

    func tick() { self.state.withLock { $0.tick() } }
    func start() { self.state.withLock { $0.start() } }
    /// Counts from now on.
    func restart() { self.state.withLock { $0.tally.begin() } }
    func stop() -> String { self.state.withLock { $0.stop() } }
    /// How many records are not applied yet.
    var pending: UInt64 { self.state.withLock { $0.pending } }
    var isIdle: Bool { self.state.withLock { $0.isIdle } }
    /// Whether its history has all that it has applied.
    var hasWritten: Bool { self.projection.map { $0.waiting == 0 } ?? true }
    var report: String { self.state.withLock { $0.report } }
    var digest: String { self.state.withLock { $0.digestLine } }
}

private struct NodeState {
    private struct Followed {
        var follower: Follower
        var sender: RecordSender
        var partition: Partition
        var pending: UInt64 = 1
        var output = Digest()
        var subscription: NATSSubscription?
        let subject: String
    }

    private let settings: Node.Settings
    private let connection: NATSConnection
    private let projection: Projection?
    private var followed: [Followed] = []
    private var load: Load
    private let partitionOfRoom: [Int]
    var tally: Tally
    weak var node: Node?
    private var looked = ContinuousClock.now

    init(_ settings: Node.Settings, _ connection: NATSConnection, incarnation: UInt64, projection: Projection?) {
        self.settings = settings
        self.connection = connection
        self.projection = projection
        let load = Load(settings.load)
        self.load = load
        self.tally = Tally(node: settings.index)
        let channel = BenchmarkChannel.make()
        self.partitionOfRoom = load.names.map { Int($0.stableHash % UInt64(settings.partitions)) }
        for index in 0..<settings.partitions {
            let stream = "\(settings.prefix.uppercased())_P\(index)"
            self.followed.append(
                Followed(
                    follower: Follower(
                        stream: stream,
                        name: "\(incarnation)-\(index)",
                        subject: "\(settings.prefix).d.\(incarnation).\(index)",
                        heartbeat: settings.heartbeat
                    ),
                    sender: RecordSender(incarnation: incarnation, window: settings.window),
                    partition: Partition(channel: channel),
                    subject: "\(settings.prefix).p.\(index)"
                )
            )
        }
    }

    // MARK: Following

    mutating func follow() {
        for index in self.followed.indices { self.restart(index) }
    }

    private mutating func restart(_ index: Int) {
        guard let node = self.node else { return }
        self.followed[index].subscription?.cancel()
        let requests = self.followed[index].follower.restart()
        // the subject itself: the server takes no wildcard for somebody who listens
        let subject = self.followed[index].follower.deliverySubject
        do throws(NATSFailure) {
            self.followed[index].subscription = try self.connection.subscribe(subject, to: node)
        } catch {
            // it is silent then, and tried again
            say("cannot subscribe: \(error.text)")
        }
        for request in requests {
            self.connection.publish(ByteBuffer(string: request.json), to: request.subject, reply: "rl.unheard")
        }
    }

    mutating func heartbeat(_ index: Int, _ generation: Int, last: UInt64?, flow: String?) {
        if let flow { self.connection.publish(ByteBuffer(), to: flow) }
        if self.followed[index].follower.heartbeat(generation: generation, last: last) == .restart {
            self.restart(index)
        }
        if generation == self.followed[index].follower.generation, last == 0 { self.followed[index].pending = 0 }
    }

    mutating func delivered(_ bytes: ByteBuffer, _ delivery: ConsumerDelivery) {
        let index = delivery.partition
        switch self.followed[index].follower.received(delivery) {
        case .none: return
        case .restart: self.restart(index)
        case .apply:
            self.followed[index].pending = delivery.pending
            self.apply(bytes, index, delivery.sequence, delivery.nanoseconds)
            self.flush(index)
        }
    }

    private mutating func apply(_ bytes: ByteBuffer, _ index: Int, _ sequence: UInt64, _ nanoseconds: Int64) {
        self.tally.record(bytes.readableBytes)
        var answered: [Int] = []
        var (tally, output) = (self.tally, self.followed[index].output)
        self.tally = Tally(node: self.settings.index)
        let (settings, projection) = (self.settings, self.projection)
        let outcome = self.followed[index].partition.apply(bytes, sequence: sequence, nanoseconds: nanoseconds) {
            hosted,
            batch in
            let encoded = EncodedRoomBatch(batch, hosted.writer)
            if settings.hasDigest { output.add(batch, frames: encoded.frames) }
            projection?.append(encoded.entries, of: hosted.room.key)
            tally.delivered(batch, in: hosted.room.key.room)
            for answer in batch.answers where answer.connection?.shard == settings.index {
                guard case .acknowledged(let acknowledgement) = answer.content else { continue }
                answered.append(Int(acknowledgement.origin.connection.number))
            }
        }
        self.tally = tally
        self.followed[index].output = output
        self.told(outcome, index)
        self.tally.acknowledged(answered.count)
        for room in answered {
            if let next = self.load.acknowledged(room: room) { self.add(next) }
        }
    }

    /// What has become of a record, where it is one of this node.
    private mutating func told(_ outcome: Partition.Outcome, _ index: Int) {
        let again: [ByteBuffer]
        switch outcome {
        case .applied(let name) where name.incarnation == self.followed[index].sender.incarnation:
            again = self.followed[index].sender.seen(name)
        case .ignored(let name) where name.incarnation == self.followed[index].sender.incarnation:
            again = self.followed[index].sender.ignored(name)
        case .applied, .ignored, .unreadable: return
        }
        for record in again { self.connection.publish(record, to: self.followed[index].subject) }
    }

    // MARK: Sending

    private mutating func add(_ next: (room: Int, command: RoomCommand)) {
        self.followed[self.partitionOfRoom[next.room]].sender.add(next.command, in: self.load.names[next.room])
    }

    private mutating func flush(_ index: Int) {
        while let record = self.followed[index].sender.next() {
            self.connection.publish(record, to: self.followed[index].subject)
        }
    }

    mutating func tick() {
        let due = self.load.due()
        if !due.isEmpty {
            for next in due { self.add(next) }
            for index in self.followed.indices { self.flush(index) }
        }
        guard ContinuousClock.now - self.looked > .milliseconds(25) else { return }
        self.looked = .now
        for index in self.followed.indices {
            if self.followed[index].follower.isSilent { self.restart(index) }
            for record in self.followed[index].sender.overdue() {
                self.connection.publish(record, to: self.followed[index].subject)
            }
        }
    }

    mutating func start() {
        self.tally.begin()
        for next in self.load.start() { self.add(next) }
        for index in self.followed.indices { self.flush(index) }
    }

    mutating func stop() -> String {
        self.load.stop()
        return self.report
    }

    var report: String { "\(self.tally.report) sent_again=\(self.repeats)" }
    private var repeats: Int { self.followed.reduce(0) { $0 + $1.sender.repeats } }

    // MARK: What it is

    var pending: UInt64 { self.followed.reduce(0) { $0 + $1.pending } }
    var isIdle: Bool { self.followed.allSatisfy { $0.sender.isIdle } }

    var digestLine: String {
        var (state, output) = (Digest(), Digest())
        for followed in self.followed {
            state.add(Digest.state(of: followed.partition))
            output.add(followed.output.value)
        }
        let positions = self.followed.map { String($0.follower.position) }.joined(separator: ",")
        let restarts = self.followed.reduce(0) { $0 + $1.follower.restarts }
        let ignored = self.followed.reduce(0) { $0 + $1.partition.ignored }
        return """
            state=\(String(state.value, radix: 16)) output=\(String(output.value, radix: 16)) positions=\(positions) \
            sent_again=\(self.repeats) ignored=\(ignored) follower_restarts=\(restarts) faults=\(self.tally.faults)
            """
    }
}
