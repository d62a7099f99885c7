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

    /// The library's connections may be used by all threads.
    private nonisolated(unsafe) let connection: OpaquePointer
    private let writes = DispatchQueue(label: "roomline.cluster.writes")
    private let questions = DispatchQueue(label: "roomline.cluster.questions", attributes: .concurrent)
    private let events: Events

    /// Connects; waits for it on another thread.
    static func connect(
        _ access: NATSAccess,
        once: Bool = false,
        _ receive: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws(ClusterFailure) -> NATSConnection {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Self.result(access, once: once, receive))
            }
        }
        return try result.get()
    }

    private static func result(
        _ access: NATSAccess,
        once: Bool,
        _ receive: @escaping @Sendable (Event) -> Void
    ) -> Result<NATSConnection, ClusterFailure> {
        do throws(ClusterFailure) {
            return .success(try NATSConnection(access, once: once, receive))
        } catch {
            return .failure(error)
        }
    }

    private init(
        _ access: NATSAccess,
        once: Bool,
        _ receive: @escaping @Sendable (Event) -> Void
    )
        throws(ClusterFailure)
    {
        let options = try NATSOptions(access, once: once)
        let events = Events(receive)
        // The library may call as long as it has threads: it keeps the box, and closing empties it.
        let closure = Unmanaged.passRetained(events).toOpaque()
        natsOptions_SetDisconnectedCB(options.options, { _, closure in Events.tell(.disconnected, closure) }, closure)
        natsOptions_SetReconnectedCB(options.options, { _, closure in Events.tell(.reconnected, closure) }, closure)
        natsOptions_SetErrorHandler(options.options, { _, _, _, _ in }, nil)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options.options)
        guard status == NATS_OK, let connection else { throw Self.failure(status, access) }
        self.connection = connection
        self.events = events
    }

    deinit { natsConnection_Destroy(self.connection) }

    /// The most bytes of a message that the server takes.
    var maxPayload: Int64 { natsConnection_GetMaxPayload(self.connection) }

    /// Nothing is called back any more, but what is being called now.
    func close() {
        self.events.receive.withLockedValue { $0 = nil }
        self.writes.async { natsConnection_Close(self.connection) }
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
            // Whoever waits for its effect sends it again: no failure here says more than silence.
            bytes.withUnsafeReadableBytes { bytes in
                let count = Int32(bytes.count)
                if let reply {
                    natsConnection_PublishRequest(self.connection, subject, reply, bytes.baseAddress, count)
                } else {
                    natsConnection_Publish(self.connection, subject, bytes.baseAddress, count)
                }
            }
        }
    }

    func publish(_ request: NATSRequest) { self.publish(request.bytes, to: request.subject, reply: request.reply) }

    /// Has the messages of a subject handled on a thread of the library's, until the subscription is cancelled.
    func subscribe(
        _ subject: String,
        _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void
    ) -> NATSSubscription {
        let subscription = NATSSubscription(self.writes)
        self.writes.async { subscription.begin(subject, on: self.connection, receive) }
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
        switch natsConnection_RequestMsg(&answer, self.connection, question, milliseconds) {
        case NATS_OK:
            guard let answer else { return .none }
            defer { natsMsg_Destroy(answer) }
            return .bytes(NATSMessage(answer).bytes)
        case NATS_NO_RESPONDERS: return .nobody
        default: return .none
        }
    }

    private static func failure(_ status: natsStatus, _ access: NATSAccess) -> ClusterFailure {
        let servers = access.servers.joined(separator: ", ")
        let detail = "\(NATSOptions.text(of: status)): \(NATSOptions.lastError)"
        return switch status {
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            ClusterFailure(
                .denied,
                "\(servers) does not let this node in: check its user and its credentials (\(detail))"
            )
        case NATS_SECURE_CONNECTION_REQUIRED:
            ClusterFailure(.tls, "\(servers) asks for TLS: give addresses as tls://host:4222 and the authorities")
        case NATS_SECURE_CONNECTION_WANTED:
            ClusterFailure(.tls, "\(servers) speaks no TLS: set it up in nats-server, or give addresses as nats://")
        case NATS_SSL_ERROR:
            ClusterFailure(.tls, "TLS with \(servers) fails: check authorities, certificate and names (\(detail))")
        default:
            ClusterFailure(.unreachable, "no server answers at \(servers): is nats-server running there? (\(detail))")
        }
    }

    /// What the library keeps of a connection's receiver.
    private final class Events: Sendable {
        let receive: NIOLockedValueBox<(@Sendable (Event) -> Void)?>

        init(_ receive: @escaping @Sendable (Event) -> Void) { self.receive = NIOLockedValueBox(receive) }

        static func tell(_ event: Event, _ closure: UnsafeMutableRawPointer?) {
            guard let closure else { return }
            let events = Unmanaged<Events>.fromOpaque(closure).takeUnretainedValue()
            events.receive.withLockedValue { $0 }?(event)
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

/// A subject that is listened to. All of it happens in the connection's queue.
final class NATSSubscription: Sendable {
    private struct Handle: Sendable {
        nonisolated(unsafe) let subscription: OpaquePointer
    }

    private let queue: DispatchQueue
    private let handle = NIOLockedValueBox<Handle?>(nil)

    fileprivate init(_ queue: DispatchQueue) { self.queue = queue }

    fileprivate func begin(
        _ subject: String,
        on connection: OpaquePointer,
        _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void
    ) {
        let closure = Unmanaged.passRetained(Receiver(receive)).toOpaque()
        var subscription: OpaquePointer?
        natsConnection_Subscribe(
            &subscription,
            connection,
            subject,
            { _, _, message, closure in
                guard let message, let closure else { return }
                Unmanaged<Receiver>.fromOpaque(closure).takeUnretainedValue().receive(NATSMessage(message))
                natsMsg_Destroy(message)
            },
            closure
        )
        guard let subscription else {
            // The connection is closed; a follower hears nothing then, and tries again.
            Unmanaged<Receiver>.fromOpaque(closure).release()
            return
        }
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        natsSubscription_SetOnCompleteCB(
            subscription,
            { $0.map { Unmanaged<Receiver>.fromOpaque($0).release() } },
            closure
        )
        self.handle.withLockedValue { $0 = Handle(subscription: subscription) }
    }

    func cancel() {
        self.queue.async {
            let handle = self.handle.withLockedValue { handle in
                defer { handle = nil }
                return handle
            }
            guard let handle else { return }
            natsSubscription_Unsubscribe(handle.subscription)
            self.queue.asyncAfter(deadline: .now() + Self.memory) { natsSubscription_Destroy(handle.subscription) }
        }
    }

    /// libnats 3.4 goes on with a subscription that it has looked up, without keeping it, while a message arrives and while it
    /// subscribes anew on another connection (nats.c, issue 637): its memory may not go at once.
    private static let memory = DispatchTimeInterval.seconds(30)

    private final class Receiver: Sendable {
        let receive: @Sendable (borrowing NATSMessage) -> Void
        init(_ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) { self.receive = receive }
    }
}
#endif
