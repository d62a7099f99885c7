#if Cluster
import NIOConcurrencyHelpers
import NIOCore

/// Looks for another server where the one that a node is connected to does not reach the leaders of all streams: where two servers do not
/// reach each other, what one of them leads stands still for the nodes of the other, and a third one reaches both.
///
/// A stream without a leader is reached from nowhere: then the node stays where it is.
final class ServerSearch: Sendable {
    private let access: NATSAccess
    private let settings: StreamSettings
    private let incarnation: String
    private let connection: NATSConnection
    private let state = NIOLockedValueBox(State())

    private struct State {
        var isUnderWay = false
        /// Of the counts: what answers an earlier one comes late.
        var counts = 0
    }

    /// So long a leader may take to answer.
    private static let patience = Duration.milliseconds(500)
    /// Between two searches.
    private static let pause = Duration.seconds(1)
    /// Between two looks at what was answered.
    private static let step = Duration.milliseconds(20)

    init(_ access: NATSAccess, _ settings: StreamSettings, incarnation: String, _ connection: NATSConnection) {
        self.access = access
        self.settings = settings
        self.incarnation = incarnation
        self.connection = connection
    }

    /// A stream seems to stand still. Does nothing while a search is under way, or was a second ago.
    func doubt() {
        let begins = self.state.withLockedValue { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard begins else { return }
        Task {
            await self.search()
            try? await Task.sleep(for: Self.pause)  // nobody cancels it
            self.state.withLockedValue { $0.isUnderWay = false }
        }
    }

    private func search() async {
        let here = await self.leadersReached(by: self.connection)
        guard here < self.settings.streams.count else { return }
        for server in self.access.servers {
            var access = self.access
            access.servers = [server] + access.servers.filter { $0 != server }
            // one that does not answer is not the one
            guard let other = try? await NATSConnection.connect(access) else { continue }
            if await self.leadersReached(by: other) > here { return self.connection.goOn(over: other) }
            other.close()
        }
    }

    /// Of how many streams the leader answers in time.
    private func leadersReached(by connection: NATSConnection) async -> Int {
        let count = self.state.withLockedValue { state in
            state.counts += 1
            return state.counts
        }
        let inbox = "\(self.settings.name.inbox).\(self.incarnation).search.\(count)"
        let reached = NIOLockedValueBox<Set<Substring>>([])
        let answers = connection.subscribe("\(inbox).*") { message in
            guard let stream = message.subject.split(separator: ".").last, StreamExtent(message.bytes) != nil else { return }
            _ = reached.withLockedValue { $0.insert(stream) }
        }
        defer { answers.cancel() }
        for stream in self.settings.streams {
            connection.publish(
                ByteBuffer(),
                to: "$JS.API.STREAM.INFO.\(stream.stream)",
                reply: "\(inbox).\(stream.stream)"
            )
        }
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end, reached.withLockedValue(\.count) < self.settings.streams.count {
            try? await Task.sleep(for: Self.step)  // nobody cancels it
        }
        return reached.withLockedValue(\.count)
    }
}
#endif
