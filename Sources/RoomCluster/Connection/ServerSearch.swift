#if Cluster
import NIOConcurrencyHelpers
import NIOCore
import RoomJSON

/// Looks for another server where the one that a node is connected to does not reach the leaders of all streams: where two servers do not
/// reach each other, what one of them leads stands still for the nodes of the other, and a third one reaches both.
///
/// A stream without a leader is reached from nowhere: then the node stays where it is. From another server than its own, the first one, it goes
/// back later: where a node hangs on each server, one of them notices that two are apart.
final class ServerSearch: Sendable {
    private let access: NATSAccess
    private let settings: StreamSettings
    private let incarnation: String
    private let connection: NATSConnection
    /// Is told the server's name.
    private let moved: @Sendable (String) -> Void
    private let state = NIOLockedValueBox(State())

    private struct State {
        var isUnderWay = false
        var isGoingBack = false
        /// So long the node is away before it tries to go back, and between two tries.
        var stay = ServerSearch.shortestStay
        var backSince: ContinuousClock.Instant?
        /// The id of the node's own server, when it was there last.
        var own: String?
        /// The number of the newest count: answers to an earlier one come late.
        var counts = 0
    }

    /// So long a leader may take to answer before it is asked again: it may just be handing over.
    private static let patience = Duration.milliseconds(250)
    /// Between two searches.
    private static let pause = Duration.seconds(1)
    /// A link that fails again and again moves a node less and less often.
    private static let shortestStay = Duration.seconds(3)
    private static let longestStay = Duration.seconds(60)
    /// Between two looks at what was answered.
    private static let step = Duration.milliseconds(20)

    init(
        _ access: NATSAccess,
        _ settings: StreamSettings,
        incarnation: String,
        _ connection: NATSConnection,
        moved: @escaping @Sendable (String) -> Void
    ) {
        self.access = access
        self.settings = settings
        self.incarnation = incarnation
        self.connection = connection
        self.moved = moved
    }

    /// A stream seems to stand still. Does nothing while a search is under way, or was a second ago.
    func doubt() {
        guard self.access.servers.count > 1 else { return }
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

    /// Another server, and the streams that it reaches, with the names of their leaders.
    private struct Found {
        let connection: NATSConnection
        let server: String
        let reached: [String: String]
    }

    private func search() async {
        guard await self.streamsReached(by: self.connection, tries: 1).count < self.settings.streams.count else {
            return
        }
        async let left = Self.serverName(of: self.connection)
        async let found = self.others()
        // a leader that was just elected, or is slow, is reached from here a moment later
        let here = await self.streamsReached(by: self.connection)
        let others = await found
        let leaders = others.reduce(into: here) { $0.merge($1.reached) { known, _ in known } }
        // the servers that this one does not reach: either of two that are apart is not the one that reaches both
        let apart = Set(leaders.filter { here[$0.key] == nil }.values)
        let better = others.filter { $0.reached.count > here.count }
        let between = better.filter { !apart.contains($0.server) }
        // of equals all nodes take the same one
        let best = (between.isEmpty ? better : between).max {
            ($0.reached.count, $0.server) < ($1.reached.count, $1.server)
        }
        for other in others where other.connection !== best?.connection { other.connection.close() }
        guard let best else { return }
        let old = await left
        self.connection.goOn(over: best.connection)
        if !between.isEmpty, best.reached.count == self.settings.streams.count {
            self.handOver(best.reached.filter { here[$0.key] == nil || $0.value == old }.map(\.key), to: best.server)
        }
        self.moved(best.server)
    }

    /// The node may be on another server than its own: has it go back in three seconds or later, as soon as that one reaches all leaders.
    func goBackLater() {
        guard self.access.servers.count > 1 else { return }
        let stay = self.state.withLockedValue { state -> Duration? in
            guard !state.isGoingBack, self.connection.server.map({ $0 != state.own }) ?? true else { return nil }
            state.isGoingBack = true
            let wasShort = state.backSince.map { .now - $0 < Self.longestStay } ?? false
            state.stay = wasShort ? min(state.stay * 2, Self.longestStay) : Self.shortestStay
            return state.stay
        }
        guard let stay else { return }
        Task { [weak self] in
            repeat {
                try? await Task.sleep(for: stay)  // nobody cancels it
            } while await self?.isBack() == false
            self?.state.withLockedValue { state in
                state.isGoingBack = false
                state.backSince = .now
            }
        }
    }

    /// Goes back if that is possible now.
    ///
    /// - Returns: false where the own server does not answer, or does not reach all.
    private func isBack() async -> Bool {
        guard !self.connection.isClosed else { return true }
        var own = self.access
        own.servers = [self.access.servers[0]]
        guard let probe = try? await NATSConnection.connect(own, once: true) else { return false }
        defer { probe.close() }
        guard let server = probe.server else { return false }
        guard server != self.connection.server else {
            self.state.withLockedValue { $0.own = server }
            return true
        }
        // the probe would not connect again when its server ends
        guard await self.streamsReached(by: probe).count == self.settings.streams.count,
            let connection = try? await self.connection.another(self.access)
        else { return false }
        guard connection.server == server else {
            connection.close()
            return false
        }
        self.state.withLockedValue { $0.own = server }
        self.connection.goOn(over: connection)
        return true
    }

    private func others() async -> [Found] {
        await withTaskGroup { group in
            for server in self.access.servers {
                var access = self.access
                access.servers = [server] + access.servers.filter { $0 != server }
                group.addTask { [access] in await self.found(access) }
            }
            return await group.reduce(into: []) { others, other in if let other { others.append(other) } }
        }
    }

    /// - Returns: `nil` where no server answers, or the one that the node is connected to.
    private func found(_ access: NATSAccess) async -> Found? {
        guard let connection = try? await self.connection.another(access) else { return nil }
        guard connection.server != self.connection.server, let name = await Self.serverName(of: connection) else {
            connection.close()
            return nil
        }
        return Found(connection: connection, server: name, reached: await self.streamsReached(by: connection))
    }

    /// The streams whose leader says in time who it is and answers to a record, and the leader's name. Between two servers, JetStream's API and
    /// the messages of an account go over several connections, of which one can stand still.
    private func streamsReached(by connection: NATSConnection, tries: Int = 2) async -> [String: String] {
        let count = self.state.withLockedValue { state in
            state.counts += 1
            return state.counts
        }
        let inbox = "\(self.inbox).\(count)"
        let heard = NIOLockedValueBox(Heard())
        let answers = connection.subscribe("\(inbox).*") { message in
            guard let stream = message.subject.split(separator: ".").last.map(String.init),
                let answer = try? JSONTree.read(message.bytes)
            else { return }
            heard.withLockedValue { heard in
                if let leader = answer["cluster"]?["leader"]?.stringValue { heard.leaders[stream] = leader }
                if answer["error"]?["err_code"] == Self.refusal { heard.refused.insert(stream) }
            }
        }
        defer { answers.cancel() }
        for _ in 0..<tries {
            let reached = heard.withLockedValue(\.reached)
            for stream in self.settings.streams where reached[stream.stream] == nil {
                let reply = "\(inbox).\(stream.stream)"
                connection.publish(ByteBuffer(), to: "$JS.API.STREAM.INFO.\(stream.stream)", reply: reply)
                // the leader refuses it before it stores it
                connection.publish(to: stream.trial, reply: reply, header: ("Nats-Expected-Stream", "none"))
            }
            let end = ContinuousClock.now + Self.patience
            while ContinuousClock.now < end, heard.withLockedValue(\.reached.count) < self.settings.streams.count {
                try? await Task.sleep(for: Self.step)  // nobody cancels it
            }
        }
        return heard.withLockedValue(\.reached)
    }

    /// The answers of the streams' leaders.
    private struct Heard {
        var leaders: [String: String] = [:]
        /// The streams that have refused a record meant for another one.
        var refused: Set<String> = []

        var reached: [String: String] { self.leaders.filter { self.refused.contains($0.key) } }
    }

    /// `JSStreamNotMatchErr` of nats-server: `expected stream does not match`.
    private static let refusal = JSONTree.number("10060")

    /// - Returns: `nil` where it is not connected.
    private static func serverName(of connection: NATSConnection) async -> String? {
        let answer = await connection.request(ByteBuffer(), of: "$SYS.REQ.USER.INFO", within: .milliseconds(500))
        guard case .bytes(let bytes) = answer else { return nil }
        return (try? JSONTree.read(bytes))?["server"]?["name"]?.stringValue
    }

    /// Has the leaders of these streams hand over to a server that reaches all: those that the server does not reach which the node has left, and
    /// those that it leads itself. A server that does not hear a leader has another one elected, and the stream stops for up to 15 seconds.
    private func handOver(_ streams: [String], to server: String) {
        let placement = JSONTree.object([.init("placement", .object([.init("preferred", .string(server))]))]).bytes
        for stream in streams {
            let subject = "$JS.API.STREAM.LEADER.STEPDOWN.\(stream)"
            self.connection.publish(placement, to: subject, reply: "\(self.inbox).unheard")
        }
    }

    private var inbox: String { "\(self.settings.name.inbox).\(self.incarnation).search" }
}
#endif
