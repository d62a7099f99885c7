import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// What administrators do to the messages of rooms is done on all nodes of a cluster.
@OneThread
struct ClusterHistoryTests {
    private let cluster: MemoryCluster
    private let nodes: [TestBroker]

    init() {
        self.cluster = MemoryCluster()
        self.nodes = TestBroker.twoNodes(of: self.cluster)
    }

    private static func entries(_ seqs: ClosedRange<UInt64>, bytes: Int = 1) -> [LogEntry] {
        seqs.map { seq in
            let id = UniqueID(milliseconds: ManualClock.start - 1_000, sequence: UInt16(seq), random: seq)
            let sender = #"{"id":"rest","kind":"rest"}"#
            let text = String(repeating: "x", count: bytes)
            let tail = #""id":"\#(id)","timestamp":1763697599,"seq":\#(seq),"sender":\#(sender),"message":"\#(text)"}"#
            return LogEntry(seq: seq, id: id, tail: ByteBuffer(string: tail))
        }
    }

    private func importPart(_ entries: [LogEntry], after: Position? = nil, node: Int) async throws -> ImportReceipt {
        // a read of the history waits until that is written
        let time = Task { @OneThread in
            while !Task.isCancelled {
                self.cluster.advance(by: .milliseconds(500))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        return try await self.nodes[node].ask { gateway in
            try await gateway.importHistory(entries, into: .make(), after: after)
        }
    }

    private func stored(_ node: Int) -> [UInt64] { self.nodes[node].engine.entries(of: .make()).map(\.seq) }

    @Test func `an import becomes the history of both nodes, in parts, and the next message goes on behind it`()
        async throws
    {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room")
        let first = try await self.importPart(Self.entries(5...8), node: 0)
        #expect((first.seq, first.oldestSeq) == (8, 5))
        let place = Position(epoch: first.epoch, seq: first.seq)
        let second = try await self.importPart(Self.entries(9...10), after: place, node: 1)
        #expect((second.seq, second.oldestSeq) == (10, 5))
        for client in [ann, bob] {
            let epochs = client.receive().map { $0.text("epoch") }
            #expect(epochs == ["\(first.epoch)", "\(second.epoch)"])
            #expect(client.history("room")?.list("messages")?.map(\.seq) == Array(5...10))
        }
        #expect(bob.publish("room", "1")?.seq == 11)
        #expect(ann.summaries() == ["publish 11"])
        self.cluster.advance(by: .seconds(1))
        for node in 0...1 { #expect(self.stored(node) == Array(5...11)) }
    }

    @Test func `a room with messages takes no import, and no part that does not go on where it ends`() async throws {
        let ann = self.nodes[0].connect().joined("room")
        let first = try await self.importPart(Self.entries(1...2), node: 0)
        let place = Position(epoch: first.epoch, seq: first.seq)
        await #expect(throws: HistoryImportError.occupied) { try await self.importPart(Self.entries(1...2), node: 1) }
        for part in [4...5, 2...3] as [ClosedRange<UInt64>] {
            await #expect(throws: HistoryImportError.movedOn) {
                try await self.importPart(Self.entries(part), after: place, node: 1)
            }
        }
        ann.publish("room", "1")
        await #expect(throws: HistoryImportError.movedOn) {
            try await self.importPart(Self.entries(3...4), after: place, node: 1)
        }
        let large = Self.entries(1...11, bytes: 100_000)
        await #expect(throws: HistoryImportError.tooLarge(limit: PartitionRecord.utmost)) {
            try await self.importPart(large, node: 0)
        }
        self.cluster.advance(by: .seconds(1))
        for node in 0...1 { #expect(self.stored(node) == [1, 2, 3]) }
    }

    @Test func `a room in which nobody is gets its import, and whoever comes finds it`() async throws {
        let receipt = try await self.importPart(Self.entries(1...3), node: 1)
        for node in self.nodes {
            let client = node.connect()
            client.handshake()
            let reply = client.subscribe("room", #","since":{"epoch":"\#(receipt.epoch)","seq":1}"#)
            #expect(reply?.flag("recovered") == true)
            #expect(client.receive().map(\.seq) == [2, 3])
        }
    }

    @Test func `an import that the log does not take is unknown, and is made once when it is sent again`() async throws
    {
        self.cluster.setReachable(false)
        let error = await #expect(throws: HistoryImportError.self) {
            try await self.importPart(Self.entries(1...3), node: 0)
        }
        self.cluster.setReachable(true)
        guard case .refused(let refusal)? = error else {
            Issue.record("it is \(String(describing: error))")
            return
        }
        #expect(refusal.code == .storageUnavailable)
        // it is stored late, and so the room is not empty
        self.cluster.advance(by: .seconds(20))
        await #expect(throws: HistoryImportError.occupied) { try await self.importPart(Self.entries(1...3), node: 1) }
        self.cluster.advance(by: .seconds(1))
        for node in 0...1 { #expect(self.stored(node) == [1, 2, 3]) }
    }

    @Test func `what is pruned is gone from both, and who has missed it is told`() {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect()
        bob.handshake()
        let epoch = bob.subscribe("room")?.text("epoch") ?? ""
        for _ in 1...5 { ann.publish("room", "1") }
        for client in [ann, bob] { _ = client.receive() }
        let owner = self.nodes[1].shards[0]
        let through = Position(epoch: Epoch(epoch), seq: 3)
        let told = Told()
        owner.post { $0.prune(.make(), through: through) { told.outcome = $0 } }
        for node in self.nodes { node.run() }
        #expect(told.outcome == true)
        for (client, node) in zip([ann, bob], self.nodes) {
            #expect(client.history("room")?.list("messages")?.map(\.seq) == [4, 5])
            let late = node.connect()
            late.handshake()
            #expect(late.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":1}"#)?.flag("recovered") == false)
            #expect(late.summaries() == ["gap 2-3 trimmed", "publish 4", "publish 5"])
        }
        self.cluster.advance(by: .seconds(1))
        for node in 0...1 { #expect(self.stored(node) == [4, 5]) }
    }

    @Test(arguments: RecordLevel.allCases)
    func `what is to be erased from the log is said where all nodes can read that`(level: RecordLevel) {
        let node = TestBroker(node: NodeNumber(rawValue: 1), cluster: MemoryCluster(level: level))
        let ann = node.connect().joined("room")
        ann.publish("room", "\"secret\"")
        _ = node.redact(.seq(1))
        node.run()
        #expect(ann.history("room")?.line.contains("secret") == false)
        let erasures = node.shards.flatMap { $0.onLoop.erasures.map(\.erasure) }
        #expect(erasures.map(\.seq) == (level < .orders ? [] : [1]))
        #expect(erasures.allSatisfy { $0.text == TextMark(of: ByteBuffer(string: "\"secret\"")) })
    }

    private final class Told: @unchecked Sendable {
        var outcome: Bool?
    }
}
