#if Cluster
import Foundation
import NIOCore
import NIOPosix
@testable import RoomCluster
import RoomCore
import RoomTestKit
import Testing

/// Against real servers, which each test starts and ends.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: BrokerProcess.isAllowed))
struct NATSClusterTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    /// That of Debian 12, 2.9.10, where the environment names it.
    private static let oldServer = ProcessInfo.processInfo.environment["ROOMLINE_OLD_NATS_SERVER"].flatMap {
        FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
    }
    private let single = StreamSettings(partitions: 2, replicas: 1)

    private func failure(_ body: () async throws -> NATSCluster) async throws -> ClusterFailure {
        do {
            try await body().close()
        } catch let failure as ClusterFailure {
            return failure
        }
        throw ClusterFailure(.refused, "the cluster was opened")
    }

    // MARK: One server

    @Test
    func `records come in order, from each place on`() async throws {
        let servers = try NATSServers()
        let cluster = try await servers.open(self.single)
        defer { cluster.close() }
        let (all, late) = (Received(), Received())
        let log = cluster.partition(0, on: self.loop)
        log.follow(from: .first) { all.receive($0) }
        let texts = (1...300).map { "record \($0)" }
        try await log.store(texts)
        await all.wait { $0.count == 300 }
        #expect(all.texts == texts)
        #expect(all.all.map(\.place) == Array(1...300))
        #expect(zip(all.all, all.all.dropFirst()).allSatisfy { $0.time <= $1.time })

        let other = try await servers.open(self.single, incarnation: "2")
        defer { other.close() }
        let second = other.partition(0, on: self.loop)
        second.follow(from: LogOffset(rawValue: 201)) { late.receive($0) }
        await late.wait { $0.count == 100 }
        #expect(late.all == Array(all.all[200...]))
    }

    @Test
    func `a stream is followed where it has the record that is known, and not where it has another one there`()
        async throws
    {
        let servers = try NATSServers()
        let cluster = try await servers.open(self.single)
        defer { cluster.close() }
        let (all, same, other) = (Received(), Received(), Received())
        let log = cluster.partition(0, on: self.loop)
        log.follow(from: .first) { all.receive($0) }
        try await log.store(["a", "b", "c"])
        await all.wait { $0.count == 3 }
        let (place, time) = (LogOffset(rawValue: 3), all.all[2].time)

        let again = try await servers.open(self.single, incarnation: "2")
        defer { again.close() }
        let follower = again.partition(0, on: self.loop)
        follower.follow(from: place.next, reaching: KnownRecord(place: place, time: time)) { same.receive($0) }
        await same.waitForEvents { $0 == [.connected] }
        await follower.append("d", until: same)
        #expect(Set(same.texts) == ["d"])

        // what a record had that is lost, as after a power cut
        let stranger = again.partition(0, on: self.loop)
        stranger.follow(from: place.next, reaching: KnownRecord(place: place, time: time - 1)) { other.receive($0) }
        await other.waitForEvents { !$0.isEmpty }
        stranger.append(ByteBuffer(string: "x"))
        await log.append("e", until: all)
        #expect(other.events == [.differs(place)])
        #expect(!all.texts.contains("x"))
    }

    @Test
    func `partitions do not mix, and an empty record is one`() async throws {
        let servers = try NATSServers()
        let cluster = try await servers.open(self.single)
        defer { cluster.close() }
        let (zero, one) = (Received(), Received())
        let first = cluster.partition(0, on: self.loop)
        let second = cluster.partition(1, on: self.loop)
        first.follow(from: .first) { zero.receive($0) }
        second.follow(from: .first) { one.receive($0) }
        try await first.store(["a"])
        try await second.store(["", "b"])
        await one.wait { $0.count == 2 }
        await zero.wait { $0.count == 1 }
        #expect(zero.texts == ["a"])
        #expect(one.texts == ["", "b"])
    }

    @Test
    func `what stands in the place of an erased record is told with the record's time, the newest one only`()
        async throws
    {
        let servers = try NATSServers()
        let cluster = try await servers.open(self.single)
        defer { cluster.close() }
        let (live, late) = (Received(), Received())
        let log = cluster.partition(1, on: self.loop)
        log.follow(from: .first) { live.receive($0) }
        try await log.store(["a", "b", "c", "d"])
        await live.wait { $0.count == 4 }
        let (b, c) = (live.all[1], live.all[2])
        let replace = { (record: Received.Record, old: String, new: String) async throws in
            let (old, new) = (ByteBuffer(string: old), ByteBuffer(string: new))
            try await cluster.replace(LogOffset(rawValue: record.place), of: 1, takenAt: record.time, old, by: new)
        }
        try await replace(b, "b", "1")
        try await replace(c, "c", "2")
        try await replace(b, "1", "3")
        // once more, as where the answer was lost; and by who has read what is there no more
        try await replace(b, "1", "3")
        await #expect(throws: ClusterFailure.self) { try await replace(b, "1", "4") }
        // whoever has stored a replacement may have ended before it has erased the record
        let (api, name) = (
            JetStreamAPI(connection: try await NATSConnection.connect(NATSAccess(servers: servers.urls))),
            self.single.name
        )
        let subject = "\(name.text).redacted.\(name.partition(1).stream).4"
        _ = try await api.append(
            ByteBuffer(string: "x"),
            to: subject,
            headers: [("Roomline-Time", "\(live.all[3].time)")]
        )
        await #expect(throws: ClusterFailure.self) { try await replace(live.all[3], "d", "y") }
        try await replace(live.all[3], "x", "5")
        api.connection.close()
        // who has followed it all along hears nothing of it
        try await log.store(["e"], behind: 4)
        await live.wait { $0.count == 5 }
        #expect(live.texts == ["a", "b", "c", "d", "e"])
        let past = cluster.past(of: 1, on: self.loop)
        past.follow(from: .first) { late.receive($0) }
        await late.wait { $0.count == 5 }
        #expect(late.texts == ["a", "3", "2", "5", "e"])
        #expect(late.all.map(\.time) == live.all.map(\.time))
        #expect(try await cluster.firstPlace(of: 1, since: 0) == .first)
        #expect(try await cluster.firstPlace(of: 1, since: live.all[4].time + 1) == nil)
        #expect(try await cluster.firstPlace(of: 0, since: 0) == nil)
    }

    @Test
    func `what is followed goes on after the server was killed`() async throws {
        let servers = try NATSServers()
        let cluster = try await servers.open(self.single)
        defer { cluster.close() }
        let received = Received()
        let log = cluster.partition(0, on: self.loop)
        log.follow(from: .first) { received.receive($0) }
        await log.append("before", until: received)
        servers.signal(0, SIGKILL)
        try servers.restart(0)
        await log.append("again", until: received)
        let places = received.all.map(\.place)
        #expect(places == Array(1...UInt64(places.count)))
    }

    // MARK: Refusals

    @Test
    func `settings that differ from those of the cluster are refused`() async throws {
        let servers = try NATSServers()
        try await servers.open(self.single).close()
        try await servers.open(self.single, incarnation: "2").close()
        let failure = try await self.failure { try await servers.open(StreamSettings(partitions: 3, replicas: 1)) }
        #expect(failure.code == .streamDiffers)
        let replicas = try await self.failure {
            try await servers.open(StreamSettings(name: try #require(ClusterName("other")), partitions: 1, replicas: 3))
        }
        #expect(replicas.code == .replicas)
    }

    @Test
    func `a server without JetStream is refused`() async throws {
        let servers = try NATSServers(hasJetStream: false)
        let failure = try await self.failure { try await servers.open(self.single) }
        #expect(failure.code == .noJetStream)
    }

    @Test(.enabled(if: Self.oldServer != nil))
    func `a server that is too old is refused`() async throws {
        let servers = try NATSServers(binary: try #require(Self.oldServer))
        let failure = try await self.failure { try await servers.open(self.single) }
        #expect(failure.code == .version)
    }

    @Test
    func `who may not come in is told so, and a password is read from its file`() async throws {
        let servers = try NATSServers(extra: "authorization { user: node, password: right }")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("roomline-password-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try "right\n".write(to: file, atomically: true, encoding: .utf8)
        let right = NATSCredentials.password(user: "node", file: file.path)
        try await servers.open(self.single, credentials: right).close()
        let denied = try await self.failure { try await servers.open(self.single) }
        #expect(denied.code == .denied)
        try "two\nlines\n".write(to: file, atomically: true, encoding: .utf8)
        let lines = try await self.failure { try await servers.open(self.single, credentials: right) }
        #expect(lines.code == .settings)
    }

    // MARK: Three servers

    @Test(arguments: [SIGKILL, SIGSTOP])
    func `two nodes see the same log while each server in turn is lost`(signal: Int32) async throws {
        let servers = try NATSServers(3)
        let settings = StreamSettings(partitions: 1, replicas: 3)
        let (first, second) = (
            try await servers.open(settings), try await servers.open(settings, incarnation: "2", first: 1),
        )
        defer {
            first.close()
            second.close()
        }
        let (one, two) = (Received(), Received())
        let log = first.partition(0, on: self.loop)
        let other = second.partition(0, on: self.loop)
        log.follow(from: .first) { one.receive($0) }
        other.follow(from: .first) { two.receive($0) }
        for index in 0..<3 {
            servers.signal(index, signal)
            await log.append("round \(index)", until: one)
            if signal == SIGSTOP { servers.signal(index, SIGCONT) } else { try servers.restart(index) }
            await log.append("after \(index)", until: one)
        }
        let last = one.all.last?.place ?? 0
        await two.wait { ($0.last?.place ?? 0) >= last }
        let places = one.all.map(\.place)
        #expect(places == Array(1...UInt64(places.count)))
        #expect(two.all.prefix(Int(last)) == one.all.prefix(Int(last)))
    }
}
#endif
