import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What the messages of all rooms take that are not stored yet.
struct CommitBacklogTests {
    private static let limit = 256 << 10

    @Test func `floods into many rooms leave something for a room with few messages`() {
        var limits = BrokerLimits()
        limits.backlogTotal = Self.limit
        let broker = TestBroker(limits: limits)
        let (flood, member) = (broker.connect(), broker.connect())
        flood.isDumped = false
        for client in [flood, member] { client.handshake() }
        member.publish("normal", "0")
        broker.engine.hold()
        let message = String(repeating: "x", count: 4_000)
        for number in 0..<400 {
            flood.send(#"{"type":"publish","room":"flood-\#(number % 20)","message":"\#(message)"}"#)
            #expect(broker.unstoredBytes <= Self.limit)
        }
        #expect(broker.unstoredBytes > Self.limit * 3 / 4)
        #expect(flood.receive().contains { $0.code == "storage_unavailable" })
        let callback = member.post(#""type":"publish","room":"normal","message":1"#)
        broker.run()
        broker.engine.release()
        #expect(member.reply(to: callback)?.code == nil)
        #expect(broker.engine.entries(of: .make("normal")).count == 2)
        #expect(broker.unstoredBytes == 0)
    }

    @Test func `messages that could not be stored are not counted any more`() {
        let broker = TestBroker()
        let client = broker.connect()
        client.handshake()
        client.publish("room", "0")
        broker.engine.failNext(.append, .unavailable)
        client.publish("room", "1")
        broker.engine.failNext(.open, .unavailable)
        client.publish("other", "2")
        #expect(broker.unstoredBytes == 0)
    }
}

extension TestBroker {
    fileprivate var unstoredBytes: Int {
        self.run()
        return self.shards.reduce(0) { $0 + $1.onLoop.owner.sequencer.unstoredBytes }
    }
}
