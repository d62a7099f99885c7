#if Cluster
package import NIOCore
import RoomJSON

/// One stream of the cluster as a log: this node appends to it, and follows it from a place on, in order and without
/// holes.
///
/// What is received comes on the event loop; calls come from any thread.
package final class StreamLog: Sendable {
    package enum Event: Equatable, Sendable {
        /// - Parameter nanoseconds: when the stream took it, Unix time, the same on all nodes.
        case record(place: UInt64, nanoseconds: Int64, ByteBuffer)
    }

    private let name: StreamName
    private let cluster: ClusterName
    /// Names the consumers of this node's process.
    private let incarnation: String
    private let connection: NATSConnection
    private let loop: any EventLoop
    private let receive: @Sendable (Event) -> Void
    private let state: NIOLoopBoundBox<State?>

    private struct State {
        var follower: Follower
        var deliveries: NATSSubscription?
        var answers: NATSSubscription
        var timer: RepeatedTask
    }

    init(
        _ name: StreamName,
        of cluster: ClusterName,
        incarnation: String,
        _ connection: NATSConnection,
        on loop: any EventLoop,
        _ receive: @escaping @Sendable (Event) -> Void
    ) {
        self.name = name
        self.cluster = cluster
        self.incarnation = incarnation
        self.connection = connection
        self.loop = loop
        self.receive = receive
        self.state = .makeEmptyBox(eventLoop: loop)
    }

    // MARK: Appending

    /// Sends a record. It may be lost: whether it was taken shows when it is followed.
    package func append(_ record: ByteBuffer) { self.connection.publish(record, to: self.name.subject) }

    /// Appends only if the stream's last place is still the expected one.
    ///
    /// - Parameter record: unlike all others, so that it is known again when its acknowledgement was lost.
    /// - Returns: its place; `nil` where another record was first.
    package func append(_ record: ByteBuffer, expecting last: UInt64) async throws(ClusterFailure) -> UInt64? {
        let headers = [("Nats-Expected-Last-Sequence", String(last))]
        let api = JetStreamAPI(connection: self.connection)
        switch try await api.append(record, to: self.name.subject, headers: headers) {
        case .tree(let answer):
            guard case .number(let digits)? = answer["seq"], let place = UInt64(digits) else {
                throw ClusterFailure(.refused, "the acknowledgement of \(self.name.stream) has no place")
            }
            return place
        case .refusal(let refusal) where refusal.isForSequence:
            return try await api.holds(record, at: last + 1, of: self.name.stream) ? last + 1 : nil
        case .refusal(let refusal): throw ClusterFailure(.refused, "\(self.name.stream): \(refusal.text)")
        }
    }

    // MARK: Following

    /// Follows from the record behind `place` on, until it is stopped.
    package func follow(behind place: UInt64) {
        self.loop.execute {
            guard self.state.value == nil else { return }
            let answers = self.connection.subscribe("\(self.inbox).*") { message in self.answerReceived(message) }
            let timer = self.loop.scheduleRepeatedTask(initialDelay: .milliseconds(25), delay: .milliseconds(25)) { _ in
                self.tick()
            }
            let follower = Follower(behind: place, now: .now())
            self.state.value = State(follower: follower, deliveries: nil, answers: answers, timer: timer)
            self.restart()
        }
    }

    package func stop() {
        self.loop.execute {
            guard let state = self.state.value else { return }
            self.state.value = nil
            state.timer.cancel()
            state.deliveries?.cancel()
            state.answers.cancel()
            self.delete(state.follower.generation)
        }
    }

    /// The connection is another one: its consumer may be gone, and what it sent meanwhile is.
    func reconnected() { self.loop.execute { self.restart() } }

    private func tick() {
        guard let action = self.state.value?.follower.ticked(now: .now()) else { return }
        switch action {
        case .restart: self.restart()
        case .ask: self.ask()
        case .none: break
        }
    }

    /// Makes the consumer anew.
    private func restart() {
        guard var state = self.state.value else { return }
        state.deliveries?.cancel()
        if state.follower.generation > 0 { self.delete(state.follower.generation) }
        state.follower.restarted(now: .now())
        let generation = state.follower.generation
        // The subject itself: the server takes no wildcard for somebody who listens.
        let subject = "\(self.cluster.deliveries(of: self.incarnation)).\(self.name.stream).\(generation)"
        state.deliveries = self.connection.subscribe(subject) { message in self.messageReceived(message, generation) }
        self.state.value = state
        let consumer = self.consumer(generation)
        let configuration = JSONTree.object([
            .init("name", .string(consumer)),
            .init("deliver_subject", .string(subject)),
            .init("deliver_policy", .string("by_start_sequence")),
            .init("opt_start_seq", .integer(state.follower.place + 1)),
            .init("ack_policy", .string("none")),
            .init("max_deliver", .integer(1)),
            .init("flow_control", .bool(true)),
            .init("idle_heartbeat", .integer(Follower.heartbeat.nanoseconds)),
            .init("mem_storage", .bool(true)),
            .init("num_replicas", .integer(1)),
            .init("inactive_threshold", .integer(TimeAmount.seconds(5).nanoseconds)),
        ])
        let request = JSONTree.object([
            .init("stream_name", .string(self.name.stream)), .init("config", configuration),
        ])
        // The first heartbeat tells that it is there.
        let api = "$JS.API.CONSUMER.CREATE.\(self.name.stream).\(consumer)"
        self.connection.publish(request.bytes, to: api, reply: "\(self.inbox).unheard")
    }

    private func delete(_ generation: Int) {
        let api = "$JS.API.CONSUMER.DELETE.\(self.name.stream).\(self.consumer(generation))"
        self.connection.publish(ByteBuffer(), to: api, reply: "\(self.inbox).unheard")
    }

    private func ask() {
        guard let follower = self.state.value?.follower else { return }
        let question = JSONTree.object([
            .init("seq", .integer(follower.place + 1)), .init("next_by_subj", .string(self.name.subject)),
            .init("batch", .integer(128)), .init("max_bytes", .integer(4 << 20)),
        ])
        let api = "$JS.API.DIRECT.GET.\(self.name.stream)"
        self.connection.publish(question.bytes, to: api, reply: "\(self.inbox).\(follower.question)")
    }

    private func consumer(_ generation: Int) -> String { "\(self.incarnation)-\(generation)" }

    private var inbox: String { "\(self.cluster.inbox).\(self.incarnation).\(self.name.stream)" }

    // MARK: On the library's threads

    private func messageReceived(_ message: borrowing NATSMessage, _ generation: Int) {
        if let delivery = message.reply.flatMap(DeliveryPlace.init) {
            let bytes = message.bytes
            self.loop.execute { self.delivered(bytes, delivery, generation) }
        } else if message.status != nil {
            let last = message.number("Nats-Last-Consumer")
            let flow = message.reply ?? message.header("Nats-Consumer-Stalled")
            self.loop.execute { self.heartbeatReceived(last: last, flow: flow, generation) }
        }
    }

    private func answerReceived(_ message: borrowing NATSMessage) {
        guard let question = message.subject.split(separator: ".").last.flatMap({ Int($0) }) else { return }
        guard message.status == nil, let place = message.number("Nats-Sequence"),
            let nanoseconds = message.header("Nats-Time-Stamp").flatMap(StreamTime.nanoseconds)
        else {
            self.loop.execute { self.state.value?.follower.answersEnded(question: question) }
            return
        }
        let previous = message.number("Nats-Last-Sequence") ?? 0
        let bytes = message.bytes
        self.loop.execute {
            guard self.state.value?.follower.answered(place: place, previous: previous, question: question) == true
            else { return }
            self.receive(.record(place: place, nanoseconds: nanoseconds, bytes))
        }
    }

    // MARK: On the event loop

    private func delivered(_ bytes: ByteBuffer, _ delivery: DeliveryPlace, _ generation: Int) {
        let action = self.state.value?.follower.delivered(
            place: delivery.place,
            number: delivery.number,
            generation: generation,
            now: .now()
        )
        switch action {
        case .deliver?:
            self.receive(.record(place: delivery.place, nanoseconds: delivery.nanoseconds, bytes))
        case .restart?: self.restart()
        case .some(.none), nil: break
        }
    }

    private func heartbeatReceived(last: UInt64?, flow: String?, _ generation: Int) {
        // What came before it is taken: the server may send more.
        if let flow { self.connection.publish(ByteBuffer(), to: flow) }
        let action = self.state.value?.follower.heartbeatReceived(last: last, generation: generation, now: .now())
        if action == .restart { self.restart() }
    }
}
#endif
