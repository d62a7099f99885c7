import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// How a node follows a partition: what it sends, applies and stores.
struct FollowedPartitionTests {
    private let loop = EmbeddedEventLoop()
    private let clock = ManualClock()
    private let log: MemoryPartition

    init() {
        let clock = self.clock
        self.log = MemoryPartition { clock.now }
    }

    private func node(_ number: UInt32 = 1, _ history: TestHistory = TestHistory()) -> PartitionFollower {
        let node = PartitionFollower(number, of: self.log, on: self.loop, history)
        node.start()
        return node
    }

    private func append(_ record: PartitionRecord) {
        MemoryPartitionLog(self.log, on: self.loop).append(record.encoded)
        self.loop.run()
    }

    // MARK: Records

    @Test func `the commands of a turn are one record, which each node applies and stores`() {
        let nodes = [self.node(1), self.node(2)]
        nodes[0].publish("1", "20")
        nodes[1].publish("300")
        for node in nodes {
            #expect(node.state == .ready)
            #expect(node.messages == ["1", "20", "300"])
            #expect(node.records.map(\.batches.count).suffix(2) == [1, 1])
            node.pass(.milliseconds(600))
            #expect(node.history.messages == [1, 2, 3])
            #expect(node.history.writes.flatMap(\.changes).count == 1)
        }
        #expect(nodes[0].partition.partition?.encoded == nodes[1].partition.partition?.encoded)
        for node in nodes { node.partition.close() }
    }

    @Test func `a log that takes nothing is doubted each second, and the partition stands still after three`() {
        let node = self.node()
        node.publish("1")
        #expect(self.log.doubts == 0)
        self.log.losesAppends(true)
        node.publish("20")
        node.pass(.milliseconds(999))
        #expect(self.log.doubts == 0)
        node.pass(.milliseconds(2))
        #expect(self.log.doubts == 1)
        node.pass(.milliseconds(1_999))
        #expect((self.log.doubts, node.state) == (3, .ready))
        node.pass(.seconds(1))
        #expect((self.log.doubts, node.state) == (4, .disconnected))
        self.log.losesAppends(false)
        node.pass(.seconds(2))
        #expect(node.state == .ready)
        #expect(node.messages == ["1", "20"])
        let doubts = self.log.doubts
        node.pass(.seconds(10))
        #expect(self.log.doubts == doubts)
        node.partition.close()
    }

    @Test func `what a node was told is encoded once, and is what it stores`() throws {
        let node = self.node()
        node.publish("\"hello\"")
        node.pass(.milliseconds(600))
        let delivered = try #require(node.records.last?.encoded.first)
        #expect(
            node.history.writes.flatMap(\.changes).flatMap(\.entries).map(\.tail) == delivered.logEntries.map(\.tail)
        )
        node.partition.close()
    }

    @Test func `a node that starts applies what the log has before it is ready`() {
        let first = self.node()
        first.publish("1")
        let second = PartitionFollower(2, of: self.log, on: self.loop)
        second.partition.start()
        #expect(second.state == .catchingUp)
        self.loop.run()
        #expect(second.state == .ready)
        #expect(second.messages == ["1"])
        for node in [first, second] { node.partition.close() }
    }

    @Test func `a node that starts again goes on from its snapshot, and is told only what is new`() throws {
        let first = self.node()
        first.publish("1")
        first.pass(.minutes(11))
        first.publish("20")
        first.pass(.seconds(1))
        first.publish("300")
        first.pass(.seconds(1))
        let found = try #require(first.history.found)
        #expect(found.snapshot != nil)
        first.partition.close()
        let other = self.node(2)
        other.publish("4000")
        let again = self.node(3, first.history)
        #expect(again.messages == ["4000"])
        #expect(again.partition.partition?.encoded == other.partition.partition?.encoded)
        again.pass(.milliseconds(600))
        #expect(again.history.messages == [1, 2, 3, 4])
        for node in [other, again] { node.partition.close() }
    }

    @Test func `while something waits for a time, a silent partition is sent a tick a second`() {
        let node = self.node()
        let connection = ConnectionRef(shard: 0, number: 1, node: node.node)
        var join = JoinCommand.make("ann")
        join.connection = connection
        for command in [RoomCommand.join(join), .linger(ClientID("ann"), connection)] {
            #expect(node.partition.add(command, in: .make()) == nil)
        }
        self.loop.run()
        let count = node.records.count
        for _ in 0..<40 {
            self.clock.advance(milliseconds: 1_000)
            node.pass(.seconds(1))
        }
        #expect(node.partition.partition?[.make()]?.members.isEmpty ?? true)
        #expect((30...32).contains(node.records.count - count))
        node.partition.close()
    }

    // MARK: The log

    @Test func `a node whose log cannot be reached says so, and sends again what it could not send`() {
        let node = self.node()
        self.log.setReachable(false)
        node.publish("1")
        #expect(node.state == .disconnected)
        self.log.setReachable(true)
        node.pass(.seconds(5))
        #expect(node.state == .ready)
        #expect(node.messages == ["1"])
        #expect(node.answers.isEmpty)
        node.partition.close()
    }

    @Test func `a command that does not come into the log is answered`() {
        let node = self.node()
        self.log.setReachable(false)
        node.publish("1")
        node.pass(.seconds(16))
        #expect(node.refused == [1])
        self.log.setReachable(true)
        node.pass(.seconds(20))
        #expect(node.records.last?.wasAnswered == true)
        node.partition.close()
    }

    @Test func `a node whose records the log has no more needs a backup`() {
        let first = self.node()
        first.publish("1")
        self.log.trim(to: LogOffset(rawValue: 2))
        let second = self.node(2)
        #expect(second.state == .failed(.lost(first: LogOffset(rawValue: 2))))
        #expect(second.publish("20") == .storageUnavailable)
        first.partition.close()
    }

    @Test func `an erased record, and one that cannot be read, end it`() {
        let first = self.node()
        first.publish("1")
        self.log.erase(LogOffset(rawValue: 2))
        let second = self.node(2)
        #expect(second.state == .failed(.erased(LogOffset(rawValue: 2))))
        MemoryPartitionLog(self.log, on: self.loop).append(ByteBuffer(bytes: [200]))
        self.loop.run()
        guard case .failed(.unreadable) = first.state else {
            Issue.record("\(first.state)")
            return
        }
    }

    @Test func `a node that was taken for dead answers all that it had sent`() {
        let (node, dead) = (self.node(1), PartitionRecord.Content.gone(NodeNumber(rawValue: 1)))
        #expect(node.partition.add(.publish(.make("1")), in: .make()) == nil)
        self.append(PartitionRecord(node: NodeNumber(rawValue: 2), number: 1, content: dead))
        #expect(node.state == .failed(.declaredDead))
        #expect(node.messages.isEmpty)
        #expect(node.refused == [1])
    }

    /// It hears nobody; as soon as it reaches the log again, it would take all others out.
    @Test func `a node that is cut off says of nobody that it is gone`() {
        let nodes = [self.node(1), self.node(2)]
        self.log.setReachable(false)
        // for so long others have to be silent
        nodes[0].pass(.seconds(2))
        for _ in 0..<5 {
            nodes[0].pass(.seconds(1))
            nodes[1].partition.addGone(nodes[0].node)
        }
        self.log.setReachable(true)
        nodes[0].pass(.seconds(10))
        #expect(nodes.map(\.state) == [.ready, .ready])
        for node in nodes { node.partition.close() }
    }

    @Test func `a node that reaches the log has the silent one out with its second word`() {
        let nodes = [self.node(1), self.node(2)]
        nodes[0].pass(.seconds(10))
        nodes[1].partition.addGone(nodes[0].node)
        nodes[0].pass(.seconds(1))
        #expect(nodes[0].state == .ready)
        nodes[1].partition.addGone(nodes[0].node)
        self.loop.run()
        #expect(nodes[0].state == .failed(.declaredDead))
        nodes[1].partition.close()
    }
}
