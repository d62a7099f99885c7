import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// Two brokers that follow the same logs: to a client they are one.
struct ClusterTests {
    private static let room = "observable-room"
    private let cluster: MemoryCluster
    private let nodes: [TestBroker]

    init() {
        self.cluster = MemoryCluster()
        self.nodes = TestBroker.twoNodes(of: self.cluster)
    }

    // MARK: Talk

    @Test func `members of two nodes see each other, and the same messages in the same order`() {
        let ann = self.nodes[0].connect().joined(Self.room)
        let bob = self.nodes[1].connect().joined(Self.room)
        #expect(bob.request(#""type":"members","room":"\#(Self.room)""#)?.number("count") == 2)
        #expect(ann.summaries() == ["observable_member_join"])
        #expect(ann.publish(Self.room, "1")?.seq == 1)
        #expect(bob.publish(Self.room, "2")?.seq == 2)
        let (first, second) = (ann.receive(), bob.receive())
        #expect(first.map(\.seq) == [1, 2])
        #expect(first.map { $0.text("id") } == second.map { $0.text("id") })
        bob.unsubscribe(Self.room)
        #expect(ann.summaries() == ["observable_member_leave"])
    }

    @Test func `who asks is shown the members of a plain room on all nodes, and who does not is told nothing`() {
        let asks = #","presence":true"#
        let ann = self.nodes[0].connect().joined("room", asks)
        let bob = self.nodes[1].connect().joined("room")
        #expect(ann.summaries() == ["observable_member_join"])
        let cid = self.nodes[1].connect()
        cid.handshake()
        #expect(cid.subscribe("room", asks)?.flag("presence") == true)
        #expect(cid.receive().first?.list("data")?.count == 3)
        #expect(bob.summaries() == [])
        bob.unsubscribe("room")
        for client in [ann, cid] { #expect(client.summaries().last == "observable_member_leave") }
    }

    @Test func `what was published through one node is the history of both`() {
        let ann = self.nodes[0].connect().joined("room")
        for number in 1...5 { ann.publish("room", "\(number)") }
        let bob = self.nodes[1].connect()
        bob.handshake()
        let reply = bob.subscribe("room", #","history_count":3"#)
        #expect(reply?.seq == 5)
        #expect(bob.receive().map(\.seq) == [3, 4, 5])
        #expect(bob.history("room")?.list("messages")?.map(\.seq) == [1, 2, 3, 4, 5])
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [1, 2, 3, 4, 5])
    }

    @Test func `a client goes on through the other node where it was`() {
        let ann = self.nodes[0].connect()
        ann.handshake()
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        let bob = self.nodes[1].connect().joined("room")
        for number in 1...3 { bob.publish("room", "\(number)") }
        #expect(ann.receive().map(\.seq) == [1, 2, 3])
        ann.drop()
        for number in 4...6 { bob.publish("room", "\(number)") }
        let again = self.nodes[1].connect()
        again.handshake()
        let reply = again.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":3}"#)
        #expect(reply?.flag("recovered") == true)
        #expect(again.receive().map(\.seq) == [4, 5, 6])
    }

    @Test func `a message that is sent again through another node is known`() {
        let id = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room")
        #expect(ann.publish("room", "1", id)?.seq == 1)
        let repeated = bob.publish("room", "1", id)
        #expect(repeated?.seq == 1)
        #expect(repeated?.flag("duplicate") == true)
        #expect(bob.summaries() == ["publish 1"])
    }

    @Test func `who is too slow reads on from its own node's history`() {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room", #","overflow":"drop_oldest""#)
        bob.stopReading()
        let text = "\"\(String(repeating: "x", count: 10_000))\""
        for _ in 1...100 { ann.publish("room", text) }
        _ = ann.receive()
        bob.readOn()
        #expect(bob.receive().map(\.seq) == Array(1...100))
    }

    @Test func `what retention keeps is what a node says, and what is older is a gap`() {
        let cluster = MemoryCluster()
        let node = TestBroker(
            channels: [.make("test", history: 5)],
            node: NodeNumber(rawValue: 1),
            cluster: cluster
        )
        let ann = node.connect()
        ann.handshake()
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        for number in 1...10 { ann.publish("room", "\(number)") }
        _ = ann.receive()
        ann.unsubscribe("room")
        let reply = ann.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":2}"#)
        #expect(reply?.flag("recovered") == false)
        #expect(ann.summaries() == ["gap 3-5 trimmed"] + (6...10).map { "publish \($0)" })
    }

    // MARK: Moderation

    @Test func `a moderator of one node takes out a member of the other`() {
        let ann = self.nodes[0].connect().joined(Self.room)
        let bob = self.nodes[1].connect().joined(Self.room)
        let id = ann.receive().first?.object("data")?.text("id") ?? ""
        self.nodes[0].kick(id, from: Self.room)
        self.nodes[0].run()
        #expect(ann.summaries() == ["observable_member_leave"])
        #expect(bob.receive().map(\.code).contains("kicked"))
    }

    @Test func `a room that is cleared begins anew on both`() {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room")
        for _ in 1...3 { ann.publish("room", "1") }
        for client in [ann, bob] { _ = client.receive() }
        let cleared = self.nodes[1].clear()
        self.nodes[1].run()
        #expect(cleared.value != nil)
        #expect(ann.publish("room", "2")?.seq == 1)
        for client in [ann, bob] { #expect(client.summaries() == ["room_cleared", "publish 1"]) }
        #expect(bob.history("room")?.list("messages")?.map(\.seq) == [1])
        let eve = self.nodes[0].connect()
        eve.handshake()
        let epoch = cleared.value.map { "\($0)" } ?? ""
        eve.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":0}"#)
        #expect(eve.receive().map { $0.text("message") ?? $0.number("message").map { "\($0)" } } == ["2"])
    }

    @Test func `a message that is redacted is gone from both`() {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room")
        ann.publish("room", "\"secret\"")
        for client in [ann, bob] { _ = client.receive() }
        let receipt = self.nodes[1].redact(.seq(1))
        self.nodes[1].run()
        #expect(receipt.value?.targetSeq == 1)
        for client in [ann, bob] {
            #expect(client.receive().map(\.type) == ["message_redacted"])
            #expect(client.history("room")?.line.contains("secret") == false)
        }
        self.cluster.advance(by: .seconds(1))
        for node in self.nodes { #expect(node.engine.entries(of: .make()).first?.kind == .tombstone) }
    }

    @Test func `a message that both nodes redact at once is redacted once`() {
        let ann = self.nodes[0].connect().joined("room")
        for message in ["\"secret\"", "2"] { ann.publish("room", message) }
        _ = ann.receive()
        self.cluster.setReachable(false)
        let answers = self.nodes.map { $0.redact(.seq(1)) }
        self.cluster.setReachable(true)
        for _ in 0..<10 { self.cluster.advance(by: .milliseconds(500)) }
        #expect(answers.map { $0.value?.targetSeq } == [1, 1])
        #expect(answers.compactMap { $0.value?.seq } == [3])
        #expect(ann.summaries().count == 1)
        #expect(ann.publish("room", "4")?.seq == 4)
    }

    @Test func `a node tells when it has applied what another one has`() throws {
        let ann = self.nodes[0].connect().joined("room")
        let partition = RoomKey.make().partition(among: 2)
        let shards = self.nodes.map { $0.shards[0].onLoop }
        let place = try #require(shards[0].partitionPlaces[partition])
        let told = NIOLockedValueBox<[LogOffset]>([])
        func ask(_ shard: RoomShard, for place: LogOffset) {
            shard.whenApplied(place, in: partition) { told.withLockedValue { $0.append(place) } }
        }
        ask(shards[1], for: place)
        ask(shards[1], for: place.next.next)
        ask(shards[1], for: place.next)
        #expect(told.withLockedValue(\.self) == [place])
        ann.publish("room", "1")
        #expect(told.withLockedValue(\.self) == [place, place.next])
        ann.publish("room", "2")
        #expect(told.withLockedValue(\.self) == [place, place.next, place.next.next])
        // one that serves nobody yet holds up nobody
        self.cluster.setReachable(false)
        let third = TestBroker(node: NodeNumber(rawValue: 3), cluster: self.cluster)
        ask(third.shards[0].onLoop, for: .init(rawValue: 1_000))
        #expect(told.withLockedValue { $0.last?.rawValue } == 1_000)
    }

    // MARK: Settings

    @Test func `what one node has heard of its channel holds in the room for the members of all`() {
        let room = "room"
        let ann = self.nodes[0].connect().joined(room)
        let bob = self.nodes[1].connect().joined(room)
        #expect(ann.publish(room, "1")?.seq == 1)
        var settings = ChannelSettings.make()
        settings.presence = .all
        self.nodes[0].change(settings)
        #expect(ann.summaries() == ["publish 1", "observable_members"])
        #expect(bob.summaries() == ["publish 1", "observable_members"])
        // by what it knows itself, the room shows nobody: the newer settings hold
        #expect(bob.publish(room, "2")?.seq == 2)
        #expect(ann.summaries() == ["publish 2"])
        self.nodes[1].change(settings)
        #expect(bob.summaries() == ["publish 2"])
        let cid = self.nodes[1].connect()
        cid.handshake()
        cid.subscribe(room)
        #expect(ann.summaries() == ["observable_member_join"])
    }

    @Test func `a history that ends on one node ends on all`() {
        let ann = self.nodes[0].connect().joined("room")
        let bob = self.nodes[1].connect().joined("room")
        ann.publish("room", "1")
        self.nodes[1].change(.make(history: nil))
        for client in [ann, bob] {
            #expect(client.summaries().last?.hasPrefix("gap") == true)
        }
        #expect(ann.publish("room", "2")?.seq == 1)
        #expect(bob.receive().map(\.seq) == [1])
    }

    @Test func `of a channel that is deleted nothing is left in its rooms, and it can begin anew`() {
        let ann = self.nodes[0].connect().joined(Self.room)
        let bob = self.nodes[1].connect().joined(Self.room)
        ann.publish(Self.room, "1")
        for node in self.nodes { node.removeChannel("test") }
        for client in [ann, bob] { #expect(client.receive().last?.text("code") == "unknown_channel") }
        self.cluster.advance(by: .seconds(1))
        let rooms = self.nodes.compactMap { $0.shards[0].onLoop.owner.sequencer.room(.make(Self.room)) }
        for room in rooms { #expect(room.members.isEmpty && !room.hasHistory && room.lastSeq == 0) }
        #expect(self.nodes.allSatisfy { $0.shards.allSatisfy { $0.onLoop.ownedTotal == 0 } })
        // its deletion was counted too
        for node in self.nodes { node.change(.make(), version: 3) }
        let cid = self.nodes[1].connect().joined(Self.room)
        #expect(cid.publish(Self.room, "2")?.seq == 1)
        #expect(cid.history(Self.room)?.list("messages")?.count == 1)
    }

    // MARK: Nodes that die

    @Test func `the members of a dead node are out after the grace, and come in through the other one`() {
        let bob = self.nodes[1].connect().joined(Self.room)
        let ann = self.nodes[0].connect()
        ann.handshake()
        let epoch = ann.subscribe(Self.room)?.text("epoch") ?? ""
        bob.publish(Self.room, "1")
        _ = bob.receive()
        self.nodes[0].die()
        self.nodes[1].nodeGone(self.nodes[0].node)
        self.cluster.advance(by: .seconds(1))
        let again = self.nodes[1].connect()
        again.handshake()
        let reply = again.subscribe(Self.room, #","since":{"epoch":"\#(epoch)","seq":0}"#)
        #expect(reply?.flag("recovered") == true)
        #expect(again.receive().compactMap(\.seq) == [1])
        for _ in 0..<40 { self.cluster.advance(by: .seconds(1)) }
        #expect(bob.summaries() == ["observable_member_join", "observable_member_leave"])
        #expect(bob.request(#""type":"members","room":"\#(Self.room)""#)?.number("count") == 2)
    }

    @Test func `a node that was taken for dead knows it, and lists its rooms in its next life`() {
        _ = self.nodes[1].connect().joined("room")
        _ = self.nodes[0].connect().joined("room")
        self.nodes[1].nodeGone(self.nodes[0].node)
        self.nodes[1].run()
        #expect(self.nodes[0].partitionStates.values.allSatisfy { $0 == .failed(.declaredDead) })
        #expect(self.nodes[1].partitionStates.values.allSatisfy { $0 == .ready })
        self.nodes[0].die()
        let next = TestBroker(
            engine: self.nodes[0].engine,
            node: NodeNumber(rawValue: 3),
            cluster: self.cluster,
            seed: 3
        )
        next.run()
        #expect(next.partitionStates.values.allSatisfy { $0 == .ready })
        #expect(next.channel()?.usage.rooms == 1)
        #expect(next.connect().joined("room").publish("room", "1")?.seq == 1)
    }

    @Test func `a room that nobody is in any more is forgotten`() {
        var limits = BrokerLimits()
        limits.dormantRooms = 3
        let node = TestBroker(limits: limits, node: NodeNumber(rawValue: 1), cluster: MemoryCluster())
        let ann = node.connect()
        ann.handshake(channel: "plain")
        for number in 0..<100 { ann.publish("room-\(number)", "1") }
        #expect(node.shards[0].onLoop.ownedTotal <= 4)
        #expect(node.shards[0].onLoop.counters.memory.held == 0)
    }
}

extension TestBroker {
    static func twoNodes(of cluster: MemoryCluster) -> [TestBroker] {
        [UInt32(1), 2].map { number in
            TestBroker(node: NodeNumber(rawValue: number), cluster: cluster, seed: UInt64(number))
        }
    }
}
