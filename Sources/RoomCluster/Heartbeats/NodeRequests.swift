#if Cluster
import Dispatch
import NIOConcurrencyHelpers
import NIOCore
import RoomCore

/// What this node asks single other nodes, and what those ask it. Nothing waits on a thread: a node that does not answer may be asked
/// by thousands of clients at once.
final class NodeRequests: Sendable {
    private struct Waiting {
        var newest: UInt64 = 0
        var answers: [UInt64: @Sendable (ByteBuffer?) -> Void] = [:]
    }

    private let connection: NATSConnection
    private let cluster: ClusterName
    /// The subject that answers come to, without its last word: the question's number.
    private let inbox: String
    private let waiting: NIOLockedValueBox<Waiting>
    private let answers: NATSSubscription
    private let served = NIOLockedValueBox<NATSSubscription?>(nil)

    private static let limit = DispatchTimeInterval.seconds(1)

    /// - Parameter incarnation: names this process among all that ever were in the cluster.
    init(_ connection: NATSConnection, of cluster: ClusterName, incarnation: String) {
        let waiting = NIOLockedValueBox(Waiting())
        self.connection = connection
        self.cluster = cluster
        self.inbox = "\(cluster.inbox).\(incarnation).nodes"
        self.waiting = waiting
        self.answers = connection.subscribe("\(self.inbox).*") { message in
            guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
            // the server says so where nobody listens
            Self.finish(number, message.status == nil ? message.bytes : nil, in: waiting)
        }
    }

    func ask(_ node: NodeNumber, _ question: ByteBuffer, _ answered: @escaping @Sendable (ByteBuffer?) -> Void) {
        let number = self.waiting.withLockedValue { waiting in
            waiting.newest += 1
            waiting.answers[waiting.newest] = answered
            return waiting.newest
        }
        self.connection.publish(question, to: self.cluster.node(node), reply: "\(self.inbox).\(number)")
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { [waiting] in
            Self.finish(number, nil, in: waiting)
        }
    }

    private static func finish(_ number: UInt64, _ answer: ByteBuffer?, in waiting: NIOLockedValueBox<Waiting>) {
        waiting.withLockedValue { $0.answers.removeValue(forKey: number) }?(answer)
    }

    func serve(
        as node: NodeNumber,
        _ answer: @escaping @Sendable (ByteBuffer, _ give: @escaping @Sendable (ByteBuffer) -> Void) -> Void
    ) {
        let connection = self.connection
        let subscription = connection.subscribe(self.cluster.node(node)) { message in
            guard let reply = message.reply else { return }
            answer(message.bytes) { connection.publish($0, to: reply) }
        }
        self.served.withLockedValue { $0 = subscription }
    }

    func close() {
        self.answers.cancel()
        self.served.withLockedValue { $0?.cancel() }
    }
}
#endif
