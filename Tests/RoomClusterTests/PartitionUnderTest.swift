import Foundation
import NIOCore
import NIOPosix
import RoomCore
import RoomTestKit

#if Cluster
@testable import RoomCluster
import RoomJSON
#endif

/// The kinds of log that keep the contract of `PartitionLog`.
enum PartitionKind: Sendable {
    case memory
    #if Cluster
    /// JetStream of a real server.
    case nats
    static let all: [Self] = BrokerProcess.isAllowed ? [.memory, .nats] : [.memory]
    #else
    static let all: [Self] = [.memory]
    #endif
}

/// The log of one partition, and what befalls it.
protocol PartitionUnderTest {
    /// That of one more node.
    func log() async throws -> any PartitionLog
    /// Stores each once, in this order: texts that it does not have yet.
    func store(_ texts: [String]) async throws
    func erase(_ place: UInt64) async throws
    /// Removes all before this place.
    func trim(to first: UInt64) async throws
    func cutOff() async throws
    func reconnect() async throws
}

extension PartitionKind {
    func make() async throws -> any PartitionUnderTest {
        switch self {
        case .memory: MemoryPartitionUnderTest()
        #if Cluster
        case .nats: try await StreamUnderTest()
        #endif
        }
    }
}

struct MemoryPartitionUnderTest: PartitionUnderTest {
    private let partition = MemoryPartition { Int64(Date().timeIntervalSince1970 * 1_000) }

    func log() -> any PartitionLog {
        MemoryPartitionLog(self.partition, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    func store(_ texts: [String]) {
        let log = self.log()
        for text in texts { log.append(ByteBuffer(string: text)) }
    }

    func erase(_ place: UInt64) { self.partition.erase(LogOffset(rawValue: place)) }
    func trim(to first: UInt64) { self.partition.trim(to: LogOffset(rawValue: first)) }
    func cutOff() { self.partition.setReachable(false) }
    func reconnect() { self.partition.setReachable(true) }
}

#if Cluster
/// A partition's stream on one server of its own.
final class StreamUnderTest: PartitionUnderTest {
    private let servers: NATSServers
    private var clusters: [NATSCluster] = []
    private let settings = StreamSettings(partitions: 1, replicas: 1)

    init() async throws {
        self.servers = try NATSServers()
        try await self.servers.open(self.settings, incarnation: "setup").close()
    }

    deinit { for cluster in self.clusters { cluster.close() } }

    func log() async throws -> any PartitionLog { try await self.streamLog() }

    private func streamLog() async throws -> StreamLog {
        let cluster = try await self.servers.open(self.settings, incarnation: String(self.clusters.count + 1))
        self.clusters.append(cluster)
        return cluster.partition(0, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    func store(_ texts: [String]) async throws { try await self.streamLog().store(texts) }

    func erase(_ place: UInt64) async throws {
        try await self.ask("MSG.DELETE", [.init("seq", .integer(place)), .init("no_erase", .bool(false))])
    }

    func trim(to first: UInt64) async throws { try await self.ask("PURGE", [.init("seq", .integer(first))]) }

    func cutOff() { self.servers.signal(0, SIGKILL) }

    func reconnect() throws { try self.servers.restart(0) }

    private func ask(_ verb: String, _ question: [JSONTree.Field]) async throws {
        let connection = try await NATSConnection.connect(NATSAccess(servers: self.servers.urls))
        defer { connection.close() }
        let stream = self.settings.name.partition(0).stream
        let api = JetStreamAPI(connection: connection)
        guard case .tree = try await api.ask("$JS.API.STREAM.\(verb).\(stream)", .object(question)) else {
            throw ClusterFailure(.refused, "\(verb) was refused")
        }
    }
}
#endif
