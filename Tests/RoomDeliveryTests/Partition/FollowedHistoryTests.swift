import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// What a node that follows a partition does about its own history.
struct FollowedHistoryTests {
    private let loop = EmbeddedEventLoop()
    private let log = MemoryPartition { ManualClock.start }

    private func node(_ history: TestHistory = TestHistory()) -> PartitionFollower {
        let node = PartitionFollower(1, of: self.log, on: self.loop, history)
        node.start()
        return node
    }

    private func read(_ node: PartitionFollower) -> NIOLockedValueBox<[Result<Void, EngineError>]> {
        let results = NIOLockedValueBox<[Result<Void, EngineError>]>([])
        node.partition.whenStored { result in results.withLockedValue { $0.append(result) } }
        self.loop.run()
        return results
    }

    @Test func `a read waits until the history has what the rooms have`() throws {
        let node = self.node()
        node.history.setDisk(.isSlow)
        node.publish("1")
        let read = self.read(node)
        #expect(read.withLockedValue { $0.isEmpty })
        node.history.setDisk(.works)
        self.loop.run()
        try #require(read.withLockedValue { $0.count } == 1)
        #expect(throws: Never.self) { try read.withLockedValue { try $0[0].get() } }
        node.partition.close()
    }

    @Test func `what cannot be stored is stored later, and the node is not ready meanwhile`() {
        let node = self.node()
        node.history.setDisk(.fails(.unavailable))
        node.publish("1")
        node.pass(.milliseconds(600))
        #expect(node.state == .failing)
        #expect(self.read(node).withLockedValue { $0.count } == 1)
        node.publish("20")
        node.history.setDisk(.works)
        node.pass(.seconds(2))
        #expect(node.state == .ready)
        #expect(node.history.messages == [1, 2])
        node.partition.close()
    }

    @Test func `records wait while too much is not stored, and none is left out`() {
        let node = self.node()
        node.history.setDisk(.isSlow)
        let megabyte = String(repeating: "x", count: 1 << 20)
        for number in 0..<50 { node.publish("\"\(megabyte)\(String(repeating: "y", count: number))\"") }
        // 8 MiB of changes, and a write that is under way
        #expect((8...10).contains(node.messages.count))
        for _ in 0..<50 {
            node.history.setDisk(.works)
            node.pass(.milliseconds(600))
        }
        #expect(node.messages.count == 50)
        #expect(node.history.messages == Array(1...50))
        #expect(node.state == .ready)
        node.partition.close()
    }

    @Test func `a history that has lost something is opened again, and nobody is told anything twice`() throws {
        let node = self.node()
        node.publish("1")
        node.pass(.milliseconds(600))
        node.history.setDisk(.fails(.reset))
        node.publish("20")
        node.history.find(.success(ProjectedPartition(partition: 0, generation: 2, newest: nil, snapshot: nil)))
        node.pass(.milliseconds(600))
        #expect(node.history.openings == 2)
        node.history.setDisk(.works)
        node.publish("300")
        node.pass(.milliseconds(600))
        #expect(node.state == .ready)
        #expect(node.messages == ["1", "20", "300"])
        #expect(node.history.messages == [1, 1, 2, 3])
        node.partition.close()
    }

    @Test func `a history that cannot be opened now is opened later`() {
        let history = TestHistory(.failure(.unavailable))
        let node = self.node(history)
        #expect(node.state == .catchingUp)
        #expect(self.read(node).withLockedValue { $0.count } == 1)
        history.find(.success(ProjectedPartition(partition: 0, generation: 1, newest: nil, snapshot: nil)))
        node.pass(.seconds(2))
        #expect(node.state == .ready)
        node.partition.close()
    }

    @Test func `a history of something else ends it`() {
        #expect(self.node(TestHistory(.failure(.ownHistory))).state == .failed(.history(.ownHistory)))
        let damaged = ProjectedPartition(
            partition: 0,
            generation: 1,
            newest: KnownRecord(place: LogOffset(rawValue: 5), time: nil),
            snapshot: ByteBuffer(bytes: [200])
        )
        guard case .failed(.snapshot) = self.node(TestHistory(.success(damaged))).state else {
            Issue.record("a snapshot of another version was read")
            return
        }
    }
}
