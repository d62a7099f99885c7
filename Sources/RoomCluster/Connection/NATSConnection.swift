#if Cluster
import CNats
import Dispatch
import NIOConcurrencyHelpers
import NIOCore

/// A connection to one of the servers. When it ends, the library connects again, to this one or another, for ever, and
/// subscribes again.
///
/// Calls come from any thread and never block it: whatever writes to the socket waits in a queue of its own, because a
/// server that is paused takes no bytes. What is called back comes on the library's threads.
final class NATSConnection: Sendable {
    enum Event: Sendable {
        case disconnected
        case reconnected
    }

    private let handle: NIOLockedValueBox<NATSHandle>
    private let subscriptions = NIOLockedValueBox<[NATSSubscription]>([])
    private let writes = DispatchQueue(label: "roomline.cluster.writes")
    private let questions = DispatchQueue(label: "roomline.cluster.questions", attributes: .concurrent)
    private let events: NATSEvents
    private let closed = NIOLockedValueBox(false)

    /// Connects; waits for it on another thread.
    static func connect(
        _ access: NATSAccess,
        once: Bool = false,
        _ receive: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws(ClusterFailure) -> NATSConnection {
        let connection = try await Self.connect(access, once: once, NATSEvents(receive))
        connection.events.follow(connection.current.pointer)
        return connection
    }

    /// Connects once more, for `goOn`: nothing is told of it before.
    func another(_ access: NATSAccess) async throws(ClusterFailure) -> NATSConnection {
        try await Self.connect(access, once: false, self.events)
    }

    private static func connect(
        _ access: NATSAccess,
        once: Bool,
        _ events: NATSEvents
    ) async throws(ClusterFailure) -> NATSConnection {
        let result: Result<NATSHandle, ClusterFailure> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Self.result(access, once: once, events))
            }
        }
        return NATSConnection(try result.get(), events)
    }

    private static func result(
        _ access: NATSAccess,
        once: Bool,
        _ events: NATSEvents
    ) -> Result<NATSHandle, ClusterFailure> {
        do throws(ClusterFailure) {
            return .success(try NATSHandle(access, once: once, events))
        } catch {
            return .failure(error)
        }
    }

    private init(_ handle: NATSHandle, _ events: NATSEvents) {
        self.handle = NIOLockedValueBox(handle)
        self.events = events
    }

    private var current: NATSHandle { self.handle.withLockedValue(\.self) }

    /// Whether `close` was called.
    var isClosed: Bool { self.closed.withLockedValue(\.self) }

    /// The most bytes of a message that the server takes.
    var maxPayload: Int64 { natsConnection_GetMaxPayload(self.current.pointer) }

    /// The id of the server that it is connected to, which is another one after each start; `nil`: to none now.
    var server: String? {
        var id = [CChar](repeating: 0, count: 128)
        guard natsConnection_GetConnectedServerId(self.current.pointer, &id, id.count) == NATS_OK else { return nil }
        return String(decoding: id.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Goes on over another one's connection, with all that is listened to, as after a reconnection. The other one is not used any more.
    func goOn(over other: NATSConnection) {
        self.writes.async {
            guard !self.isClosed else { return other.close() }
            let (new, old) = (other.current, self.current)
            self.events.follow(new.pointer)
            self.handle.withLockedValue { $0 = new }
            for subscription in self.subscriptions.withLockedValue(\.self) { subscription.begin(on: new) }
            // a server that takes no bytes holds up nothing
            DispatchQueue.global().async { natsConnection_Close(old.pointer) }
            self.events.tell(.reconnected, of: new.pointer)
        }
    }

    /// Nothing is called back any more, but what is being called now.
    func close() {
        self.closed.withLockedValue { $0 = true }
        self.events.forget(self.current.pointer)
        self.writes.async {
            self.events.forget(self.current.pointer)
            natsConnection_Close(self.current.pointer)
        }
    }

    /// Sends it if it can: it may be lost all the same.
    ///
    /// - Parameter isWanted: asked when it is about to be sent.
    func publish(
        _ bytes: ByteBuffer,
        to subject: String,
        reply: String? = nil,
        if isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        self.writes.async {
            guard isWanted() else { return }
            let connection = self.current.pointer
            // Whoever waits for its effect sends it again: no failure here says more than silence.
            bytes.withUnsafeReadableBytes { bytes in
                let count = Int32(bytes.count)
                if let reply {
                    natsConnection_PublishRequest(connection, subject, reply, bytes.baseAddress, count)
                } else {
                    natsConnection_Publish(connection, subject, bytes.baseAddress, count)
                }
            }
        }
    }

    /// Sends an empty message with one header field if it can.
    func publish(to subject: String, reply: String, header: (name: String, value: String)) {
        self.writes.async {
            var message: OpaquePointer?
            guard natsMsg_Create(&message, subject, reply, nil, 0) == NATS_OK else { return }
            defer { natsMsg_Destroy(message) }
            guard natsMsgHeader_Set(message, header.name, header.value) == NATS_OK else { return }
            natsConnection_PublishMsg(self.current.pointer, message)
        }
    }

    func publish(_ request: NATSRequest) { self.publish(request.bytes, to: request.subject, reply: request.reply) }

    /// Has the messages of a subject handled on a thread of the library's, until the subscription is cancelled.
    func subscribe(
        _ subject: String,
        _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void
    ) -> NATSSubscription {
        let subscription = NATSSubscription(subject, in: self.writes, receive)
        self.subscriptions.withLockedValue { subscriptions in
            subscriptions.removeAll(where: \.isOver)
            subscriptions.append(subscription)
        }
        self.writes.async { subscription.begin(on: self.current) }
        return subscription
    }

    /// Asks, and waits for the first answer on another thread.
    func request(
        _ bytes: ByteBuffer,
        of subject: String,
        headers: [(name: String, value: String)] = [],
        within limit: Duration
    ) async -> NATSAnswer {
        await withCheckedContinuation { continuation in
            self.questions.async {
                continuation.resume(returning: self.ask(bytes, of: subject, headers: headers, within: limit))
            }
        }
    }

    private func ask(
        _ bytes: ByteBuffer,
        of subject: String,
        headers: [(name: String, value: String)],
        within limit: Duration
    ) -> NATSAnswer {
        var question: OpaquePointer?
        bytes.withUnsafeReadableBytes { bytes in
            let data = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = natsMsg_Create(&question, subject, nil, data, Int32(bytes.count))
        }
        defer { natsMsg_Destroy(question) }
        for header in headers { natsMsgHeader_Set(question, header.name, header.value) }
        var answer: OpaquePointer?
        let milliseconds = Int64(limit / .milliseconds(1))
        // it may be replaced meanwhile
        let handle = self.current
        switch natsConnection_RequestMsg(&answer, handle.pointer, question, milliseconds) {
        case NATS_OK:
            guard let answer else { return .none }
            defer { natsMsg_Destroy(answer) }
            return .bytes(NATSMessage(answer).bytes)
        case NATS_NO_RESPONDERS: return .nobody
        default: return .none
        }
    }
}

/// What came of a question.
enum NATSAnswer: Sendable {
    case bytes(ByteBuffer)
    /// No one listens to its subject, as far as the server knows.
    case nobody
    /// Nothing came in time, or there is no connection.
    case none
}
#endif
