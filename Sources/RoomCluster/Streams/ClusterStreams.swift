#if Cluster
import NIOCore
import RoomCore
import RoomJSON
import RoomModel

/// Makes sure, at start, that the servers can keep the cluster's log, and that its streams are there as they should be.
struct ClusterStreams {
    private let settings: StreamSettings
    private let connection: NATSConnection
    private let api: JetStreamAPI

    init(_ settings: StreamSettings, _ connection: NATSConnection) {
        self.settings = settings
        self.connection = connection
        self.api = JetStreamAPI(connection: connection)
    }

    /// Each server that answers has to be new enough. One that does not answer now is not asked when it is back.
    static func checkVersions(_ access: NATSAccess) async throws(ClusterFailure) {
        var unreachable: ClusterFailure?
        var reached = 0
        for server in access.servers {
            var single = access
            single.servers = [server]
            do throws(ClusterFailure) {
                let connection = try await NATSConnection.connect(single, once: true)
                defer { connection.close() }
                reached += 1
                try await Self.checkVersion(of: server, connection)
                try Self.checkPayload(of: server, connection)
            } catch {
                guard error.code == .unreachable else { throw error }
                unreachable = error
            }
        }
        if reached == 0, let unreachable { throw unreachable }
    }

    /// The server says its version to those who ask who they are. One older than 2.10 does not know that question.
    private static func checkVersion(of server: String, _ connection: NATSConnection) async throws(ClusterFailure) {
        let answer = await connection.request(ByteBuffer(), of: "$SYS.REQ.USER.INFO", within: .seconds(3))
        let floor = "nats-server \(ServerVersion.oldest) or later is needed, older ones can lose acknowledged messages"
        guard case .bytes(let bytes) = answer, let tree = try? JSONTree.read(bytes),
            case .string(let text)? = tree["server"]?["ver"], let version = ServerVersion(text)
        else {
            throw ClusterFailure(
                .version,
                "\(server) does not tell its version: \(floor), and the node's user has to be allowed to publish to"
                    + " $SYS.REQ.USER.INFO"
            )
        }
        guard version >= .oldest else {
            throw ClusterFailure(.version, "\(server) is nats-server \(version): \(floor)")
        }
    }

    /// A record that a server does not take would hold up all that is behind it.
    private static func checkPayload(of server: String, _ connection: NATSConnection) throws(ClusterFailure) {
        guard connection.maxPayload < PartitionRecord.utmost else { return }
        throw ClusterFailure(
            .settings,
            "\(server) takes messages of \(connection.maxPayload) bytes at most (max_payload), and a node's can have"
                + " \(PartitionRecord.utmost): leave max_payload at its default of 1MB, or make it larger"
        )
    }

    func checkJetStream() async throws(ClusterFailure) {
        let subject = "$JS.API.INFO"
        if case .nobody = await self.connection.request(ByteBuffer(), of: subject, within: .seconds(3)) {
            throw Self.noJetStream("the server has it not")
        }
        if case .refusal(let refusal) = try await self.api.ask(subject) { throw self.failure(refusal, subject) }
    }

    /// - Returns: the settings with the cluster's origin, which is that of the control stream.
    func ensure() async throws(ClusterFailure) -> StreamSettings {
        let control = self.settings.name.control
        var settings = self.settings
        var found = try await self.control(control)
        settings.origin = found?.origin
        if settings.origin == nil {
            if let objection = settings.objection(toCluster: nil) { throw objection }
            settings.origin =
                settings.followed.id.map { ClusterOrigin(id: $0, hasData: true) } ?? .drawn(hasData: false)
            found = try await self.makeControl(control, settings)
            settings.origin = found?.origin
        }
        if let objection = settings.objection(toCluster: settings.origin, endingAt: found?.last ?? 0) {
            throw objection
        }
        let streams = ClusterStreams(settings, self.connection)
        for stream in settings.streams { try await streams.ensure(stream) }
        return settings
    }

    /// Makes the control stream. Where another node is first, its origin is the cluster's: the servers refuse ours before they can tell of
    /// the other one.
    private func makeControl(
        _ stream: StreamName,
        _ settings: StreamSettings
    ) async throws(ClusterFailure) -> (origin: ClusterOrigin, last: UInt64)? {
        let subject = "$JS.API.STREAM.CREATE.\(stream.stream)"
        switch try await self.api.ask(subject, settings.configuration(of: stream)) {
        case .tree: return settings.origin.map { ($0, 0) }
        case .refusal(let refusal) where refusal.isTaken:
            for _ in 0..<Self.looks {
                if let found = try await self.control(stream) { return found }
                try? await Task.sleep(for: .milliseconds(100))  // cancelled: the next look is at once
            }
            throw self.failure(refusal, stream.stream)
        case .refusal(let refusal): throw self.failure(refusal, stream.stream)
        }
    }

    private static let looks = 100

    /// `nil` where there is no such stream, or it cannot be read now.
    private func control(
        _ stream: StreamName
    ) async throws(ClusterFailure) -> (origin: ClusterOrigin, last: UInt64)? {
        switch try await self.api.ask("$JS.API.STREAM.INFO.\(stream.stream)") {
        case .tree(let found):
            return ClusterOrigin(metadata: found["config"]?["metadata"])
                .map { ($0, found["state"]?["last_seq"]?.numberValue ?? 0) }
        case .refusal(let refusal) where refusal.isNotFound: return nil
        case .refusal(let refusal): throw self.failure(refusal, stream.stream)
        }
    }

    private func ensure(_ stream: StreamName) async throws(ClusterFailure) {
        let subject = "$JS.API.STREAM.INFO.\(stream.stream)"
        switch try await self.api.ask(subject) {
        case .tree(let found): try self.check(found, stream)
        case .refusal(let refusal) where refusal.isNotFound: try await self.make(stream)
        case .refusal(let refusal): throw self.failure(refusal, stream.stream)
        }
    }

    private func make(_ stream: StreamName) async throws(ClusterFailure) {
        let configuration = self.settings.configuration(of: stream)
        switch try await self.api.ask("$JS.API.STREAM.CREATE.\(stream.stream)", configuration) {
        case .tree(let made): try self.check(made, stream)
        // Another node made it first.
        case .refusal(let refusal) where refusal.isTaken:
            guard case .tree(let found) = try await self.api.ask("$JS.API.STREAM.INFO.\(stream.stream)") else {
                throw self.failure(refusal, stream.stream)
            }
            try self.check(found, stream)
        case .refusal(let refusal): throw self.failure(refusal, stream.stream)
        }
    }

    private func check(_ answer: JSONTree, _ stream: StreamName) throws(ClusterFailure) {
        if let objection = self.settings.objection(to: answer["config"] ?? .null, of: stream) { throw objection }
    }

    private func failure(_ refusal: JetStreamAPI.Refusal, _ what: String) -> ClusterFailure {
        if refusal.isForReplicas {
            let text = "\(what) needs \(self.settings.replicas) servers with JetStream in one cluster and room on them"
            return ClusterFailure(.replicas, "\(text): start more, or ask for fewer replicas (\(refusal.text))")
        }
        if refusal.isForJetStream { return Self.noJetStream(refusal.text) }
        return ClusterFailure(.refused, "JetStream refuses \(what): \(refusal.text)")
    }

    private static func noJetStream(_ reason: String) -> ClusterFailure {
        ClusterFailure(
            .noJetStream,
            "JetStream is not on (\(reason)): give nats-server a `jetstream { store_dir: … }`, and its account JetStream"
        )
    }
}
#endif
