import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// How many pages of the store are read, for whom, and who waits for whom.
struct PageReadTests {
    private static func filled(_ rooms: [String]) -> TestBroker {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        for room in rooms { for number in 1...5 { ann.publish(room, "\(number)") } }
        return broker
    }

    private static func reads(_ broker: TestBroker) -> Int { broker.engine.calls.count { $0 == .read } }

    private static func subscribe(_ client: TestConnection, _ room: String) {
        client.send(#"{"type":"subscribe","room":"\#(room)","history_count":5}"#)
    }

    @Test func `those who ask for the same history at once share one read`() {
        let broker = Self.filled(["room"])
        let clients = (0..<50).map { _ in broker.connect() }
        for client in clients { client.handshake() }
        for client in clients { Self.subscribe(client, "room") }
        broker.run()
        #expect(Self.reads(broker) == 1)
        #expect(clients.allSatisfy { $0.summaries().count { $0.hasPrefix("history_message") } == 5 })
        let late = broker.connect().joined("room")
        #expect(late.publish("room", "6") != nil)
        let next = broker.connect()
        next.handshake()
        next.subscribe("room", #","history_count":5"#)
        #expect(Self.reads(broker) == 2)
    }

    @Test func `a connection that reads many rooms is no more before another than one of its rooms`() {
        let rooms = (0..<60).map { "room-\($0)" }
        let broker = Self.filled(rooms)
        let greedy = (0..<20).map { _ in broker.connect() }
        let ann = broker.connect()
        for client in greedy + [ann] { client.handshake() }
        for room in rooms { for client in greedy { client.subscribe(room) } }
        ann.subscribe("room-0")
        for client in greedy { for room in rooms { client.unsubscribe(room) } }
        ann.unsubscribe("room-0")
        for client in greedy + [ann] { _ = client.receive() }
        broker.engine.hold()
        for (index, client) in greedy.enumerated() {
            // each its rooms in another order, so that they share little
            for number in rooms.indices { Self.subscribe(client, rooms[(number + 3 * index) % rooms.count]) }
        }
        Self.subscribe(ann, "room-59")
        broker.run()
        #expect(broker.engine.waiting.count { $0 == .read } == 16)
        var released = 0
        while !ann.summaries().contains(where: { $0.hasPrefix("history_message") }), broker.engine.releaseOne() {
            released += 1
            broker.run()
        }
        // one of each of the others at most
        #expect(released <= 21)
    }

    @Test func `nothing is read for a connection that is gone`() {
        let rooms = (0..<60).map { "room-\($0)" }
        let broker = Self.filled(rooms)
        let ann = broker.connect()
        ann.handshake()
        broker.engine.hold()
        for room in rooms { Self.subscribe(ann, room) }
        broker.run()
        ann.drop()
        broker.engine.release()
        broker.run()
        #expect(Self.reads(broker) == 1)
    }

    @Test func `a page is given to some of many, then the loop looks at its sockets`() {
        let broker = TestBroker(waitsForSockets: true)
        let ann = broker.connect()
        ann.handshake()
        for number in 1...5 { ann.publish("room", "\(number)") }
        let clients = (0..<50).map { _ in broker.connect() }
        for client in clients {
            client.handshake()
            broker.lookAtSockets()
        }
        broker.engine.hold()
        for client in clients {
            Self.subscribe(client, "room")
            broker.lookAtSockets()
        }
        for client in clients { _ = client.receive() }
        broker.engine.release()
        var given: [Int] = []
        for _ in 0..<4 {
            broker.run()
            given.append(clients.count { $0.summaries().contains { $0.hasPrefix("history_message") } })
            broker.lookAtSockets()
        }
        #expect(given == [16, 16, 16, 2])
        #expect(Self.reads(broker) == 1)
    }

    @Test func `a subscriber that asks twice gets a page once`() throws {
        let broker = Self.filled(["room"])
        let (ann, bea) = (broker.connect(), broker.connect())
        ann.handshake()
        bea.handshake()
        broker.engine.hold()
        Self.subscribe(ann, "room")
        Self.subscribe(bea, "room")
        broker.run()
        let local = broker.shards[0].onLoop.local
        let subscribers = try #require(local.replicas[.make("room")]?.subscribers)
        // as one does whose room was cleared while it waited, and that has fallen behind since
        for subscriber in subscribers { local.wantsPage(subscriber) }
        broker.engine.release()
        for client in [ann, bea] {
            #expect(client.summaries().count { $0.hasPrefix("history_message") } == 5)
        }
        #expect(Self.reads(broker) == 1)
    }

    @Test func `a member pays for the history that it is sent`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        let message = "\"\(String(repeating: "x", count: 10_000))\""
        for _ in 0..<20 { ann.publish("room", message) }
        func cost(_ fields: String) -> Int {
            let client = broker.connect()
            client.handshake()
            client.subscribe("room", fields)
            client.request(#""type":"ping""#)
            #expect(client.receive().count { $0.seq != nil } == (fields.isEmpty ? 0 : 20))
            let all = broker.shards[0].onLoop.connections.numbers
            return broker.shards[0].onLoop.connections[all[all.count - 1]]?.share.spent ?? 0
        }
        let joining = cost("")
        // four pages, and a unit for each whole 8 KiB of one
        #expect(cost(#","history_count":20"#) - joining >= 4 * (6 + 50_000 / 8_192 - 1))
    }

    @Test func `what was read before a redaction is for nobody who asks after it`() {
        let broker = Self.filled(["room"])
        let (ann, bea) = (broker.connect(), broker.connect())
        ann.handshake()
        bea.handshake()
        ann.subscribe("room", #","history_count":5"#)
        #expect(Self.reads(broker) == 1)
        broker.gatewayRedact(seq: 3, of: "room")
        bea.subscribe("room", #","history_count":5"#)
        #expect(bea.receive().count { $0.line.contains("\"message\":3") } == 0)
    }
}

extension TestBroker {
    fileprivate func gatewayRedact(seq: UInt64, of room: String) {
        let key = RoomKey.make(room)
        let owner = self.shards[Int(key.stableHash % UInt64(self.shards.count))].onLoop.owner
        let redaction = Redaction(message: .seq(seq), reason: nil, sender: .make("mod")) { _ in }
        owner.redactions.redact(redaction, in: key)
        self.run()
    }
}
