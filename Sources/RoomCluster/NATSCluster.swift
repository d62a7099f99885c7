#if Cluster
import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomJSON

/// A node's connection to the servers that keep the cluster's log, and the streams of that log.
final class NATSCluster: ClusterLink {
    /// With the cluster's origin.
    let settings: StreamSettings
    private let incarnation: String
    private let patience: TimeAmount
    private let connection: NATSConnection
    private let logs: NIOLockedValueBox<[StreamLog]>
    private let questions: NodeRequests
    private let search: ServerSearch
    private let heartbeats = NIOLockedValueBox<NATSSubscription?>(nil)

    /// Connects; makes the streams that are missing, and checks those that are there.
    ///
    /// - Parameters:
    ///   - incarnation: names this process among all that ever were in the cluster: digits or letters.
    ///   - patience: see `ReplacementQuestions`.
    ///   - moved: is told the name of another server that the node goes on over, because it reaches more of the streams' leaders.
    static func open(
        _ access: NATSAccess,
        _ settings: StreamSettings,
        incarnation: String,
        patience: TimeAmount = .seconds(15),
        moved: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(ClusterFailure) -> NATSCluster {
        try await ClusterStreams.checkVersions(access)
        let logs = NIOLockedValueBox<[StreamLog]>([])
        let search = NIOLockedValueBox<ServerSearch?>(nil)
        let connection = try await NATSConnection.connect(access) { event in
            for log in logs.withLockedValue({ $0 }) { log.connectionChanged(event) }
            if event == .reconnected { search.withLockedValue(\.self)?.goBackLater() }
        }
        do throws(ClusterFailure) {
            let streams = ClusterStreams(settings, connection)
            try await streams.checkJetStream()
            let known = try await streams.ensure()
            let found = ServerSearch(access, known, incarnation: incarnation, connection, moved: moved)
            search.withLockedValue { $0 = found }
            found.goBackLater()
            return NATSCluster(known, incarnation: incarnation, patience, connection, found, logs)
        } catch {
            connection.close()
            throw error
        }
    }

    private init(
        _ settings: StreamSettings,
        incarnation: String,
        _ patience: TimeAmount,
        _ connection: NATSConnection,
        _ search: ServerSearch,
        _ logs: NIOLockedValueBox<[StreamLog]>
    ) {
        self.settings = settings
        self.incarnation = incarnation
        self.patience = patience
        self.connection = connection
        self.logs = logs
        self.questions = NodeRequests(connection, of: settings.name, incarnation: incarnation)
        self.search = search
    }

    /// The log of a partition; what is followed comes on the event loop.
    func partition(_ index: Int, on loop: any EventLoop) -> StreamLog {
        self.log(self.settings.name.partition(index), on: loop)
    }

    func log(of partition: Int, on loop: any EventLoop) -> any PartitionLog {
        self.partition(partition, on: loop)
    }

    func past(of partition: Int, on loop: any EventLoop) -> any PartitionLog {
        // consumers of its own
        self.log(self.settings.name.partition(partition), incarnation: "\(self.incarnation)x", on: loop)
    }

    func firstPlace(of partition: Int, since milliseconds: Int64) async throws(ClusterFailure) -> LogOffset? {
        try await self.erasing(partition).firstPlace(since: milliseconds).map { LogOffset(rawValue: $0) }
    }

    func replace(
        _ place: LogOffset,
        of partition: Int,
        takenAt time: Int64,
        _ old: ByteBuffer,
        by new: ByteBuffer
    ) async throws(ClusterFailure) {
        try await self.erasing(partition).replace(place.rawValue, takenAt: time, old, by: new)
    }

    private func erasing(_ partition: Int) -> StreamErasing {
        let name = self.settings.name
        return StreamErasing(
            api: JetStreamAPI(connection: self.connection),
            cluster: name,
            stream: name.partition(partition)
        )
    }

    /// The place of the note in the control stream is the number. Where the answer is lost it is noted again, at another place.
    func begin(_ note: ByteBuffer) async throws(ClusterFailure) -> NodeNumber {
        let name = self.settings.name.control
        let answer = try await JetStreamAPI(connection: self.connection).append(note, to: name.subject, headers: [])
        guard case .tree(let tree) = answer, case .number(let digits)? = tree["seq"], let number = UInt32(digits) else {
            throw ClusterFailure(.refused, "JetStream does not take a note into \(name.stream): \(answer.text)")
        }
        return NodeNumber(rawValue: number)
    }

    func beat(_ heartbeat: NodeHeartbeat) {
        self.connection.publish(heartbeat.bytes, to: self.settings.name.heartbeats)
    }

    func listen(_ heard: @escaping @Sendable (NodeHeartbeat) -> Void) {
        let subscription = self.connection.subscribe(self.settings.name.heartbeats) { message in
            if let heartbeat = NodeHeartbeat(message.bytes) { heard(heartbeat) }
        }
        self.heartbeats.withLockedValue { $0 = subscription }
    }

    func ask(
        _ node: NodeNumber,
        _ question: ByteBuffer,
        _ answered: @escaping @Sendable (ByteBuffer?) -> Void
    ) {
        self.questions.ask(node, question, answered)
    }

    func serve(
        as node: NodeNumber,
        _ answer: @escaping @Sendable (ByteBuffer, _ give: @escaping @Sendable (ByteBuffer) -> Void) -> Void
    ) {
        self.questions.serve(as: node, answer)
    }

    func streamReport() async -> [ClusterReport.Stream] {
        await StreamReport(settings: self.settings, connection: self.connection).streams()
    }

    /// The log of changes of the control file.
    func control(on loop: any EventLoop) -> StreamLog { self.log(self.settings.name.control, on: loop) }

    func controlLog(on loop: any EventLoop) -> any PartitionLog { self.control(on: loop) }

    /// - Parameter incarnation: names the consumers; `nil`: those of this process.
    private func log(_ name: StreamName, incarnation: String? = nil, on loop: any EventLoop) -> StreamLog {
        let requests = StreamRequests(
            name: name,
            cluster: self.settings.name,
            incarnation: incarnation ?? self.incarnation,
            patience: self.patience
        )
        let log = StreamLog(requests, self.connection, self.search, on: loop)
        self.logs.withLockedValue { logs in
            logs.removeAll(where: \.isOver)
            logs.append(log)
        }
        return log
    }

    /// Stops following, and ends the connection.
    func close() {
        let logs = self.logs.withLockedValue { logs in
            defer { logs = [] }
            return logs
        }
        for log in logs { log.close() }
        self.heartbeats.withLockedValue { $0?.cancel() }
        self.questions.close()
        self.connection.close()
    }
}
#endif
