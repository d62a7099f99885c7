import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// Two brokers of one cluster, whose logs cannot be reached for a while.
struct UnreachableLogTests {
    private static let room = "observable-room"
    private let cluster: MemoryCluster
    private let nodes: [TestBroker]

    init() {
        self.cluster = MemoryCluster()
        self.nodes = TestBroker.twoNodes(of: self.cluster)
    }

    @Test func `what the log does not take is said to be unknown, and is there once when it comes late`() {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room")
        self.cluster.setReachable(false, logOf: .make("room"))
        let callback = ann.post(#""type":"publish","room":"room","message":1"#)
        self.cluster.advance(by: .seconds(10))
        #expect(ann.reply(to: callback) == nil)
        self.cluster.advance(by: .seconds(6))
        #expect(ann.reply(to: callback)?.code == "storage_unavailable")
        self.cluster.setReachable(true, logOf: .make("room"))
        self.cluster.advance(by: .seconds(20))
        for client in [ann, bob] { #expect(client.summaries() == ["publish 1"]) }
        #expect(ann.publish("room", "2")?.seq == 2)
    }

    @Test func `what only asks is answered while the log cannot be reached, behind what was sent before it`() {
        let ann = self.nodes[0].connect().joined(Self.room)
        ann.publish(Self.room, "1")
        _ = ann.receive()
        self.cluster.setReachable(false, logOf: .make(Self.room))
        #expect(ann.history(Self.room)?.list("messages")?.map(\.seq) == [1])
        #expect(ann.request(#""type":"members","room":"\#(Self.room)""#)?.number("count") == 1)
        ann.say(Self.room, "2")
        let first = ann.post(#""type":"history","room":"\#(Self.room)""#)
        self.nodes[0].run()
        #expect(ann.reply(to: first) == nil)
        self.cluster.setReachable(true, logOf: .make(Self.room))
        // of the other node, while the own one has not been sent again
        #expect(self.nodes[1].connect().joined("last").publish(Self.room, "3")?.seq == 2)
        #expect(ann.reply(to: first) == nil)
        self.cluster.advance(by: .seconds(1))
        #expect(ann.reply(to: first)?.list("messages")?.map(\.seq) == [1, 2, 3])
        self.cluster.setReachable(false, logOf: .make(Self.room))
        ann.say(Self.room, "4")
        let second = ann.post(#""type":"history","room":"\#(Self.room)""#)
        for _ in 0..<17 { self.cluster.advance(by: .seconds(1)) }
        #expect(ann.reply(to: second)?.code == "storage_unavailable")
    }

    @Test func `who was told that its subscribe is unknown is not in the room when it comes late`() {
        let bob = self.nodes[1].connect().joined(Self.room)
        let ann = self.nodes[0].connect()
        ann.handshake()
        self.cluster.setReachable(false, logOf: .make(Self.room))
        let callback = ann.post(#""type":"subscribe","room":"\#(Self.room)""#)
        self.cluster.advance(by: .seconds(16))
        #expect(ann.reply(to: callback)?.code == "storage_unavailable")
        self.cluster.setReachable(true, logOf: .make(Self.room))
        self.cluster.advance(by: .seconds(20))
        #expect(bob.summaries() == ["observable_member_join", "observable_member_leave"])
        #expect(bob.request(#""type":"members","room":"\#(Self.room)""#)?.number("count") == 1)
        #expect(ann.summaries().isEmpty)
    }

    @Test func `who asks again for a room whose subscribe was unknown is in it once`() {
        let bob = self.nodes[1].connect().joined(Self.room)
        let ann = self.nodes[0].connect()
        ann.handshake()
        self.cluster.setReachable(false, logOf: .make(Self.room))
        let subscribe = #""type":"subscribe","room":"\#(Self.room)""#
        let callback = ann.post(subscribe)
        self.cluster.advance(by: .seconds(16))
        #expect(ann.reply(to: callback)?.code == "storage_unavailable")
        let again = ann.post(subscribe)
        self.cluster.setReachable(true, logOf: .make(Self.room))
        self.cluster.advance(by: .seconds(12))
        let reply = ann.reply(to: again)
        #expect(reply?.code == nil && reply?.seq == 0)
        #expect(ann.summaries().first == "observable_members")
        #expect(bob.request(#""type":"members","room":"\#(Self.room)""#)?.number("count") == 2)
        bob.publish(Self.room, "1")
        #expect(ann.summaries() == ["publish 1"])
    }

    @Test func `a message that the log would never take is refused, and what is behind it is not held up`() {
        let cluster = MemoryCluster()
        let channel = ChannelSettings.make("test", history: 5).with { $0.limits.messageBytes = 2_000_000 }
        var limits = BrokerLimits()
        (limits.frame.line, limits.frame.message) = (3_000_000, 2_000_000)
        let node = TestBroker(channels: [channel], limits: limits, node: NodeNumber(rawValue: 1), cluster: cluster)
        let ann = node.connect()
        ann.handshake()
        ann.subscribe("room")
        let text = String(repeating: "x", count: PartitionRecord.utmost)
        #expect(ann.publish("room", "\"\(text)\"")?.code == "message_too_large")
        #expect(ann.publish("room", "1")?.seq == 1)
    }

    @Test func `what a node lets wait for the log is bounded`() {
        var limits = BrokerLimits()
        limits.backlogPerRoom = 50_000
        limits.backlogTotal = 100_000
        let cluster = MemoryCluster()
        let node = TestBroker(limits: limits, node: NodeNumber(rawValue: 1), cluster: cluster)
        let ann = node.connect().joined("room")
        cluster.setReachable(false)
        let text = "\"\(String(repeating: "x", count: 9_000))\""
        let room = (1...10).map { _ in ann.post(#""type":"publish","room":"room","message":\#(text)"#) }
        let other = (1...10).map { _ in ann.post(#""type":"publish","room":"other","message":\#(text)"#) }
        node.run()
        #expect(room.filter { ann.reply(to: $0)?.code == "storage_unavailable" } == Array(room.suffix(5)))
        #expect(other.filter { ann.reply(to: $0)?.code == "storage_unavailable" } == Array(other.suffix(7)))
        cluster.setReachable(true)
        node.advance(by: .seconds(5))
        #expect(node.shards[0].onLoop.owner.sequencer.unstoredBytes == 0)
        #expect(ann.publish("room", "1")?.seq == 6)
    }
}
