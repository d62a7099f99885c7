#if Cluster
import NIOCore
import RoomCore
import RoomJSON

/// The following of one stream, from its beginning to its end. Confined to the event loop of its log.
final class StreamFollowing {
    /// Runs something on the event loop, as long as the stream is followed.
    typealias Post = @Sendable (@escaping @Sendable (StreamFollowing) -> Void) -> Void

    private let requests: StreamRequests
    private let connection: NATSConnection
    private let post: Post
    private let tell: (PartitionLogEvent) -> Void
    /// Is told whether the stream goes on where this node has ended: else what is appended would hide that it does not.
    private let mayAppend: (Bool) -> Void
    private var follower: Follower
    private var order: RecordOrder
    private var subscriptions: (deliveries: NATSSubscription?, answers: NATSSubscription?)
    private var extent = ExtentQuestion()
    private var replacements: ReplacementQuestions
    private var leader = LeaderQuestions()
    /// The answer to the server's flow control that waits with the records that came before it.
    private var flow: String?
    private var isConnected = false
    /// The stream has said that it has all that it is known to have had. A node that knows of nothing need not ask.
    private var isWhole: Bool
    private var isLost = false

    private struct ExtentQuestion {
        /// The stream was not asked since the consumer was made.
        var isOpen = true
        var isAnswered = false
        var asked = NIODeadline.uptimeNanoseconds(0)
    }

    init(
        _ requests: StreamRequests,
        behind place: UInt64,
        reaching end: KnownRecord?,
        _ connection: NATSConnection,
        post: @escaping Post,
        mayAppend: @escaping (Bool) -> Void,
        _ tell: @escaping (PartitionLogEvent) -> Void
    ) {
        self.requests = requests
        self.connection = connection
        self.post = post
        self.tell = tell
        self.mayAppend = mayAppend
        self.follower = Follower(behind: place, now: .now())
        self.order = RecordOrder(behind: place, reaching: end)
        self.replacements = ReplacementQuestions(patience: requests.patience)
        self.isWhole = place == 0 && end == nil
        self.subscriptions.answers = connection.subscribe("\(requests.inbox).*") { Self.answerReceived($0, post) }
        self.restart()
    }

    func end() {
        self.subscriptions.deliveries?.cancel()
        self.subscriptions.answers?.cancel()
        self.connection.publish(self.requests.delete(self.follower.generation))
    }

    /// A new connection's consumer may be gone, and what it sent meanwhile is.
    func connectionChanged(_ event: NATSConnection.Event) {
        guard !self.isLost else { return }
        switch event {
        case .disconnected: self.disconnected()
        case .reconnected:
            // the servers may be others by now
            if self.order.known != nil { self.whole(false) }
            self.restart()
        }
    }

    func tick() {
        guard !self.isLost else { return }
        switch self.follower.ticked(now: .now()) {
        case .restart:
            self.disconnected()
            self.restart()
        case .ask where !self.order.isWaiting:
            let question = self.requests.records(behind: self.follower.place, question: self.follower.question)
            self.connection.publish(question)
        case .ask, .none: break
        }
        if self.leader.ticked(now: .now()) { self.askLeader() }
        self.askExtent()
        self.askReplacements()
    }

    /// Own records do not come.
    func doubt() {
        guard !self.isLost else { return }
        self.leader.doubted(now: .now())
    }

    private func askLeader() { self.connection.publish(self.requests.next(behind: self.follower.place)) }

    private func leaderAnswered(_ record: RecordOrder.Delivered) {
        guard !self.isLost, self.follower.leaderAnswered(place: record.place) else { return }
        self.take(record)
        if self.leader.leaderWasFirst(now: .now()), !self.isLost { self.restart() }
        self.askLeader()
    }

    /// Makes the consumer anew.
    private func restart() {
        self.subscriptions.deliveries?.cancel()
        if self.follower.generation > 0 { self.connection.publish(self.requests.delete(self.follower.generation)) }
        self.order.restarted()
        self.replacements.restarted()
        self.follower.restarted(behind: self.order.place, now: .now())
        self.flow = nil
        (self.extent.isOpen, self.extent.isAnswered) = (true, false)
        let (generation, post) = (self.follower.generation, self.post)
        self.subscriptions.deliveries = self.connection.subscribe(self.requests.deliveries(generation)) { message in
            Self.messageReceived(message, generation, post)
        }
        self.connection.publish(self.requests.create(generation, behind: self.order.place))
        self.askExtent()
    }

    private func askExtent() {
        guard self.extent.isOpen || self.order.needsAnswer, .now() - self.extent.asked > .milliseconds(250) else {
            return
        }
        self.extent.asked = .now()
        if let known = self.order.known, !self.order.isConfirmed {
            self.connection.publish(self.requests.known(at: known.place.rawValue))
        }
        self.connection.publish(self.requests.extent)
    }

    /// Asks for what stands in the place of erased records.
    private func askReplacements() {
        let wanted = self.order.wanted
        for question in self.replacements.due(wanted, now: .now()) {
            switch question {
            case .ask(let place): self.connection.publish(self.requests.replacement(at: place))
            case .giveUp(let place): self.replaced(place, by: nil)
            }
        }
    }

    private func replaced(_ place: UInt64, by record: RecordOrder.Delivered?) {
        guard !self.isLost else { return }
        self.replacements.ended(place)
        self.tellAll(self.order.replaced(place, by: record))
        guard !self.isLost else { return }
        if self.order.isWaiting { self.askReplacements() } else { self.answerFlow() }
    }

    private func answerFlow() {
        if let flow = self.flow { self.connection.publish(ByteBuffer(), to: flow) }
        self.flow = nil
    }

    // MARK: What is told

    private func connected() {
        guard !self.isConnected, self.isWhole else { return }
        self.isConnected = true
        self.tell(.connected)
    }

    private func disconnected() {
        guard self.isConnected else { return }
        self.isConnected = false
        self.tell(.disconnected)
    }

    private func tellAll(_ events: [PartitionLogEvent]) {
        for event in events where !self.isLost {
            switch event {
            case .lost, .behind, .differs:
                self.isLost = true
                self.whole(false)
                self.end()
            case .record, .connected, .disconnected: break
            }
            self.tell(event)
        }
    }

    private func whole(_ isWhole: Bool) {
        self.isWhole = isWhole
        self.mayAppend(isWhole)
    }

    private func take(_ record: RecordOrder.Delivered) {
        self.tellAll(self.order.delivered(record))
        guard self.order.isWaiting, !self.isLost else { return }
        self.askExtent()
        self.askReplacements()
    }

    private func extentReceived(_ extent: StreamExtent) {
        guard !self.isLost else { return }
        self.tellAll(self.order.answered(first: extent.first, last: extent.last, erased: extent.erased, now: .now()))
        self.extent.isAnswered = true
        self.settle()
    }

    private func knownReceived(_ place: UInt64, milliseconds: Int64) {
        guard !self.isLost, place == self.order.known?.place.rawValue else { return }
        self.tellAll(self.order.knownAnswered(time: milliseconds))
        self.settle()
    }

    /// The stream has told something about itself.
    private func settle() {
        guard !self.isLost, self.extent.isAnswered else { return }
        self.extent.isOpen = !self.order.isWhole
        self.whole(self.order.isWhole)
        guard self.isWhole else { return self.disconnected() }
        self.connected()
        if self.order.needsAnswer { return self.restart() }
        if self.order.isWaiting { self.askReplacements() } else { self.answerFlow() }
    }

    private func delivered(_ record: RecordOrder.Delivered, number: UInt64, _ generation: Int) {
        guard !self.isLost, generation == self.follower.generation else { return }
        self.connected()
        let place = record.place
        switch self.follower.delivered(place: place, number: number, generation: generation, now: .now()) {
        case .deliver:
            self.leader.consumerWasFirst()
            self.take(record)
        case .restart: self.restart()
        case .none: break
        }
    }

    private func heartbeatReceived(last: UInt64?, flow: String?, _ generation: Int) {
        guard !self.isLost, generation == self.follower.generation else { return }
        self.connected()
        // What came before it is taken: the server may send more.
        if self.order.isWaiting {
            self.flow = flow ?? self.flow
        } else if let flow {
            self.connection.publish(ByteBuffer(), to: flow)
        }
        let action = self.follower.heartbeatReceived(last: last, generation: generation, now: .now())
        if action == .restart { self.restart() }
    }

    private func answered(_ record: RecordOrder.Delivered, previous: UInt64, question: Int) {
        guard !self.isLost, self.follower.answered(place: record.place, previous: previous, question: question)
        else { return }
        self.take(record)
    }

    // MARK: On the library's threads

    private static func messageReceived(_ message: borrowing NATSMessage, _ generation: Int, _ post: Post) {
        if let delivery = message.reply.flatMap(DeliveryPlace.init) {
            let record = RecordOrder.Delivered(
                place: delivery.place,
                nanoseconds: delivery.nanoseconds,
                bytes: message.bytes
            )
            post { $0.delivered(record, number: delivery.number, generation) }
        } else if message.status != nil {
            let last = message.number("Nats-Last-Consumer")
            let flow = message.reply ?? message.header("Nats-Consumer-Stalled")
            post { $0.heartbeatReceived(last: last, flow: flow, generation) }
        }
    }

    private static func answerReceived(_ message: borrowing NATSMessage, _ post: Post) {
        guard let word = message.subject.split(separator: ".").last else { return }
        if word == StreamExtent.word {
            if let extent = StreamExtent(message.bytes) { post { $0.extentReceived(extent) } }
            return
        }
        if let place = StreamRequests.replacedPlace(word) {
            if message.status == StreamRequests.nothing { return post { $0.replacements.denied(place) } }
            guard message.status == nil,
                let time = message.header(StreamRequests.replacementTime).flatMap({ Int64($0) })
            else { return }
            let (nanoseconds, overflow) = time.multipliedReportingOverflow(by: 1_000_000)
            guard !overflow else { return }
            let record = RecordOrder.Delivered(place: place, nanoseconds: nanoseconds, bytes: message.bytes)
            return post { $0.replaced(place, by: record) }
        }
        if let place = StreamRequests.knownPlace(word) {
            // without it the stream tells whether it has erased or trimmed the record
            let text = (try? JSONTree.read(message.bytes))?["message"]?["time"]?.stringValue
            guard let nanoseconds = text.flatMap(StreamTime.nanoseconds) else { return }
            return post { $0.knownReceived(place, milliseconds: nanoseconds / 1_000_000) }
        }
        if word == StreamRequests.leaderWord {
            let message = (try? JSONTree.read(message.bytes))?["message"]
            if let record = message.flatMap(RecordOrder.Delivered.init(message:)) { post { $0.leaderAnswered(record) } }
            return
        }
        guard let question = Int(word) else { return }
        guard message.status == nil, let place = message.number("Nats-Sequence"),
            let nanoseconds = message.header("Nats-Time-Stamp").flatMap(StreamTime.nanoseconds)
        else { return post { $0.follower.answersEnded(question: question) } }
        let previous = message.number("Nats-Last-Sequence") ?? 0
        let record = RecordOrder.Delivered(place: place, nanoseconds: nanoseconds, bytes: message.bytes)
        post { $0.answered(record, previous: previous, question: question) }
    }
}
#endif
