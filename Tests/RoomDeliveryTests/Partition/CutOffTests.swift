import NIOCore
import RoomCore
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// A node that does not hear from the logs: it may not know of a ban, a new secret or a redaction.
struct CutOffTests {
    private let cluster: MemoryCluster
    private let nodes: [TestBroker]

    init() {
        self.cluster = MemoryCluster()
        self.nodes = TestBroker.twoNodes(of: self.cluster)
    }

    @Test func `what clients ask waits, and goes on when the log is there again`() {
        let ann = self.nodes[0].connect().joined("room")
        ann.publish("room", "1")
        _ = ann.receive()
        self.cluster.setReachable(false)
        self.cluster.advance(by: .seconds(2))
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [1])
        self.cluster.advance(by: .seconds(2))
        let callback = ann.post(#""type":"history","room":"room""#)
        let bob = self.nodes[0].connect()
        let handshake = bob.post(#""type":"handshake","channel":"test""#)
        self.cluster.advance(by: .seconds(2))
        #expect(ann.reply(to: callback) == nil && bob.reply(to: handshake) == nil)
        self.cluster.setReachable(true)
        self.cluster.advance(by: .seconds(2))
        #expect(ann.reply(to: callback)?.list("messages")?.map(\.seq) == [1])
        #expect(bob.reply(to: handshake)?.text("client_id") != nil)
        #expect(ann.publish("room", "2")?.seq == 2)
    }

    @Test func `clients are sent away when it lasts, and served as soon as it is over`() {
        let ann = self.nodes[0].connect().joined("room")
        let text = self.nodes[0].connect()
        self.cluster.setReachable(false)
        self.cluster.advance(by: .seconds(7))
        #expect(ann.summaries().isEmpty)
        self.cluster.advance(by: .seconds(2))
        let goodbye = ann.receive().first
        #expect(goodbye?.text("type") == "goodbye" && goodbye?.code == "shutting_down")
        #expect(goodbye?.number("retry_after_ms") == nil, "it need not wait before it goes to another node")
        #expect(text.receiveLines().last?.contains("this node does not hear from its cluster") == true)
        let bob = self.nodes[0].connect()
        _ = bob.post(#""type":"handshake","channel":"test""#)
        #expect(bob.summaries() == ["goodbye"])
        self.cluster.setReachable(true)
        self.cluster.advance(by: .seconds(2))
        let cid = self.nodes[0].connect().joined("room")
        #expect(cid.publish("room", "1")?.seq == 1)
        #expect(self.nodes.allSatisfy { !$0.hasFailed })
    }

    @Test func `one log that elects a leader sends nobody away`() {
        let ann = self.nodes[0].connect().joined("room")
        self.cluster.setReachable(false, logOf: .make("room"))
        self.cluster.advance(by: .seconds(12))
        #expect(ann.history("room")?.list("messages")?.isEmpty == true)
        self.cluster.setReachable(true, logOf: .make("room"))
        self.cluster.advance(by: .seconds(12))
        #expect(ann.publish("room", "1")?.seq == 1)
        #expect(ann.summaries() == ["publish 1"])
    }

    @Test func `a client whose request waits is not taken for silent`() {
        let ann = self.nodes[0].connect()
        ann.handshake(#","heartbeat":1"#)
        self.cluster.setReachable(false)
        self.cluster.advance(by: .seconds(1))
        for _ in 0..<6 {
            _ = ann.post(#""type":"pong""#)
            self.cluster.advance(by: .seconds(1))
        }
        self.cluster.setReachable(true)
        self.cluster.advance(by: .seconds(1))
        let frames = ann.receive()
        #expect(!frames.contains { $0.text("type") == "goodbye" }, "\(frames)")
    }

    @Test func `a machine that was paused is given time to catch up`() {
        var cutOff = CutOff()
        #expect(cutOff.look(isProven: true) == .nothing)
        cutOff.waits(2)
        cutOff.waits(1)
        #expect(cutOff.look(isProven: false) == .nothing, "whatever time has passed")
        #expect(cutOff.look(isProven: true) == .goOn([1, 2]))
        for _ in 1..<CutOff.patience { #expect(cutOff.look(isProven: false) == .nothing && !cutOff.isComplete) }
        #expect(cutOff.look(isProven: false) == .sendAway && cutOff.isComplete)
        #expect(cutOff.look(isProven: true) == .nothing && !cutOff.isComplete)
    }

    @Test func `a proof holds for three seconds from when it was sent`() {
        let proof = ProofOfLife(partitions: 4)
        let second: UInt64 = 1_000_000_000
        proof.seen(sentAt: 10 * second)
        proof.seen(sentAt: 9 * second)
        #expect(proof.holds(now: 13 * second) && !proof.holds(now: 13 * second + 1))
        // each of four logs in turn, every two seconds
        #expect((0..<4).map { proof.firstTick(of: $0, now: 0) } == [1, 2, 3, 4].map { $0 * second / 2 })
        #expect(proof.interval == 2 * second)
    }

    @Test func `the logs show which nodes live`() {
        let second: UInt64 = 1_000_000_000
        self.cluster.advance(by: .seconds(20))
        let shard = self.nodes[0].shards[0].onLoop
        #expect(shard.nodes.count == 2)
        #expect(shard.nodes.values.allSatisfy { shard.now.uptimeNanoseconds - $0 <= 2 * second })
    }
}
