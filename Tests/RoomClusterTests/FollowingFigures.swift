#if Cluster
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RoomCore
import RoomJSON
import Testing

@testable import RoomCluster

/// Measures instead of testing, where the environment asks for it: `scripts/test-cluster figures`.
@Suite(
    .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["ROOMLINE_CLUSTER_FIGURES"] != nil),
    .timeLimit(.minutes(15))
)
struct FollowingFigures {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    private func settings(_ servers: Int) -> StreamSettings { StreamSettings(partitions: 1, replicas: servers) }

    /// One node appends, and both are told; a record is on its way only when the one before has come to both.
    @Test(arguments: [1, 3])
    func `latency, idle`(count: Int) async throws {
        let servers = try NATSServers(count)
        let clusters = [
            try await servers.open(self.settings(count)),
            try await servers.open(self.settings(count), incarnation: "2", first: count - 1),
        ]
        defer { for cluster in clusters { cluster.close() } }
        let logs = clusters.map { $0.partition(0, on: self.loop) }
        let arrivals = logs.map { Arrivals(of: $0) }
        var delays: [[TimeAmount]] = [[], []]
        for number in 0..<2_200 {
            try await Task.sleep(for: .milliseconds(2))
            let start = NIODeadline.now()
            logs[0].append(Self.record(number, 200))
            for index in 0..<2 { delays[index].append(await arrivals[index].wait(for: number) - start) }
        }
        for (index, what) in ["to the same node", "to another node"].enumerated() {
            // The first ones pay for what is made at first use.
            Self.print("latency, idle, servers \(count), \(what)", delays[index].dropFirst(200))
        }
    }

    @Test(arguments: [(1, 200), (1, 32_768), (3, 200), (3, 32_768)])
    func throughput(count: Int, size: Int) async throws {
        let servers = try NATSServers(count)
        let cluster = try await servers.open(self.settings(count))
        defer { cluster.close() }
        let log = cluster.partition(0, on: self.loop)
        let arrivals = Arrivals(of: log)
        let (total, window) = (size > 1_000 ? 4_000 : 100_000, size > 1_000 ? 8 : 512)
        let start = NIODeadline.now()
        var sent = 0
        while sent < total {
            let end = min(sent + window / 2, total)
            for number in sent..<end { log.append(Self.record(number, size)) }
            if sent >= window / 2 { _ = await arrivals.wait(for: sent - 1) }
            sent = end
        }
        let seconds = Double((await arrivals.wait(for: total - 1) - start).nanoseconds) / 1e9
        let (rate, megabytes) = (Double(total) / seconds, Double(total * size) / seconds / 1e6)
        Swift.print(
            "figure: throughput, servers \(count), \(size) bytes, \(window) under way:",
            Int(rate),
            "records/s,",
            Int(megabytes),
            "MB/s"
        )
    }

    /// How long a follower is told nothing new when the server that has its consumer is killed.
    @Test
    func `following again after kill -9 of the consumer's server`() async throws {
        let servers = try NATSServers(3)
        let (reader, writer) = (
            try await servers.open(self.settings(3), incarnation: "reader"),
            try await servers.open(self.settings(3), incarnation: "writer", first: 1)
        )
        defer { for cluster in [reader, writer] { cluster.close() } }
        let (followed, appended) = (reader.partition(0, on: self.loop), writer.partition(0, on: self.loop))
        let (read, written) = (Arrivals(of: followed), Arrivals(of: appended))
        var (number, delays): (Int, [TimeAmount]) = (0, [])
        for round in 1...10 {
            let (consumer, leader) = try await self.servers(of: "reader", servers)
            let killed = NIODeadline.now()
            servers.signal(consumer, SIGKILL)
            let first = number
            // Appended until both have one: those of before and during an election may be lost.
            while read.time(atLeast: first) == nil || written.time(atLeast: first) == nil {
                appended.append(Self.record(number, 200))
                number += 1
                try await Task.sleep(for: .milliseconds(10))
            }
            guard let one = read.time(atLeast: first), let other = written.time(atLeast: first) else { return }
            delays.append(one - killed)
            Swift.print(
                "figure: round \(round), \(leader == consumer ? "also the stream's leader" : "not the leader"):",
                Self.text(one - killed),
                "ms, on the node that appends",
                Self.text(other - killed),
                "ms"
            )
            try servers.restart(consumer)
        }
        Self.print("following again", delays[...])
    }

    /// Where the consumer is and who leads the stream, as soon as all servers have all of it.
    private func servers(of incarnation: String, _ servers: NATSServers) async throws -> (consumer: Int, leader: Int) {
        let stream = ClusterName.standard.partition(0).stream
        while true {
            try await Task.sleep(for: .milliseconds(200))
            guard let connection = try? await NATSConnection.connect(NATSAccess(servers: servers.urls)) else {
                continue
            }
            defer { connection.close() }
            let api = JetStreamAPI(connection: connection)
            guard case .tree(let info)? = try? await api.ask("$JS.API.STREAM.INFO.\(stream)"),
                case .tree(let list)? = try? await api.ask("$JS.API.CONSUMER.LIST.\(stream)", .object([])),
                case .array(let replicas)? = info["cluster"]?["replicas"], replicas.count == 2,
                replicas.allSatisfy({ $0["current"] == .bool(true) && $0["offline"] == nil }),
                case .array(let consumers)? = list["consumers"]
            else { continue }
            let own = consumers.filter {
                if case .string(let name)? = $0["name"] { name.hasPrefix("\(incarnation)-") } else { false }
            }
            // One that was left behind is there for some seconds.
            guard own.count == 1, let consumer = Self.index(own[0]["cluster"]?["leader"]),
                let leader = Self.index(info["cluster"]?["leader"])
            else { continue }
            return (consumer, leader)
        }
    }

    private static func index(_ name: JSONTree?) -> Int? {
        if case .string(let name)? = name { Int(name.dropFirst()) } else { nil }
    }

    private static func record(_ number: Int, _ size: Int) -> ByteBuffer {
        var record = ByteBuffer(integer: number)
        record.writeRepeatingByte(UInt8(ascii: "x"), count: size - 8)
        return record
    }

    private static func text(_ delay: TimeAmount) -> String {
        String(format: "%.2f", Double(delay.nanoseconds) / 1e6)
    }

    private static func print(_ what: String, _ delays: ArraySlice<TimeAmount>) {
        let sorted = delays.sorted()
        let figures = [("p50", sorted.count / 2), ("p99", sorted.count * 99 / 100), ("max", sorted.count - 1)]
        Swift.print(
            "figure: \(what), of \(sorted.count):",
            figures.map { "\($0.0) \(Self.text(sorted[$0.1])) ms" }.joined(separator: ", ")
        )
    }
}

/// When which record was told first.
private final class Arrivals: Sendable {
    private struct State {
        var times: [Int: NIODeadline] = [:]
        var highest = -1
    }

    private let state = NIOLockedValueBox(State())
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(of log: StreamLog) {
        log.follow(from: .first) { [self] event in
            guard case .record(_, _, let bytes?) = event,
                let number = bytes.getInteger(at: bytes.readerIndex, as: Int.self)
            else { return }
            let now = NIODeadline.now()
            self.state.withLockedValue { state in
                if state.times[number] == nil { state.times[number] = now }
                state.highest = max(state.highest, number)
            }
            self.changes.continuation.yield()
        }
    }

    func wait(for number: Int) async -> NIODeadline {
        while true {
            if let time = self.state.withLockedValue({ $0.times[number] }) { return time }
            for await _ in self.changes.stream { break }
        }
    }

    func time(atLeast first: Int) -> NIODeadline? {
        self.state.withLockedValue { state in
            state.highest < first ? nil : state.times.filter { $0.key >= first }.values.min()
        }
    }
}
#endif
