#if Cluster
import CNats
import Dispatch
import NIOConcurrencyHelpers

/// A subject that is listened to, on whichever connection to a server there is. All of it happens in the connection's queue.
final class NATSSubscription: Sendable {
    private struct Begun: Sendable {
        let connection: NATSHandle
        nonisolated(unsafe) let subscription: OpaquePointer
    }

    private enum State: Sendable {
        case waiting
        case begun(Begun)
        case over
    }

    private let subject: String
    private let receive: @Sendable (borrowing NATSMessage) -> Void
    private let queue: DispatchQueue
    private let state = NIOLockedValueBox(State.waiting)

    init(_ subject: String, in queue: DispatchQueue, _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) {
        self.subject = subject
        self.receive = receive
        self.queue = queue
    }

    /// Whether `cancel` was called.
    var isOver: Bool {
        if case .over = self.state.withLockedValue(\.self) { true } else { false }
    }

    /// Listens on a connection, and on no other one any more.
    func begin(on connection: NATSHandle) {
        switch self.state.withLockedValue(\.self) {
        case .over: return
        case .begun(let begun):
            if begun.connection === connection { return }
            self.end(begun)
        case .waiting: break
        }
        let begun = self.subscribed(on: connection).map { Begun(connection: connection, subscription: $0) }
        self.state.withLockedValue { $0 = begun.map { .begun($0) } ?? .waiting }
    }

    /// - Returns: `nil` where the connection is closed; a follower hears nothing then, and tries again.
    private func subscribed(on connection: NATSHandle) -> OpaquePointer? {
        let closure = Unmanaged.passRetained(Receiver(self.receive)).toOpaque()
        var subscription: OpaquePointer?
        natsConnection_Subscribe(
            &subscription,
            connection.pointer,
            self.subject,
            { _, _, message, closure in
                guard let message, let closure else { return }
                Unmanaged<Receiver>.fromOpaque(closure).takeUnretainedValue().receive(NATSMessage(message))
                natsMsg_Destroy(message)
            },
            closure
        )
        guard let subscription else {
            Unmanaged<Receiver>.fromOpaque(closure).release()
            return nil
        }
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        natsSubscription_SetOnCompleteCB(
            subscription,
            { $0.map { Unmanaged<Receiver>.fromOpaque($0).release() } },
            closure
        )
        return subscription
    }

    func cancel() {
        self.queue.async {
            let before = self.state.withLockedValue { state in
                defer { state = .over }
                return state
            }
            if case .begun(let begun) = before { self.end(begun) }
        }
    }

    private func end(_ begun: Begun) {
        natsSubscription_Unsubscribe(begun.subscription)
        self.queue.asyncAfter(deadline: .now() + Self.memory) { natsSubscription_Destroy(begun.subscription) }
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
