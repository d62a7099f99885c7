import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What publish keys of all rooms take together.
struct KeyBudgetTests {
    private static let limit = 20_000

    private static func broker() -> TestBroker {
        var limits = BrokerLimits()
        limits.publishKeysTotal = Self.limit
        return TestBroker(limits: limits)
    }

    private static func publish(_ client: TestConnection, _ room: String, _ number: UInt64) -> ReceivedFrame? {
        client.request(#""type":"publish","room":"\#(room)","message":1,"message_id":"\#(UniqueID.make(number))""#)
    }

    @Test func `keys of all rooms together stay below the bound, the oldest are forgotten first`() {
        let broker = Self.broker()
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        for number in UInt64(0)..<2_000 {
            if number % 10 == 0 { broker.advance(by: .milliseconds(100)) }
            #expect(Self.publish(ann, "room-\(number % 7)", number)?.flag("duplicate") != true)
            #expect(broker.keyBytes <= Self.limit)
        }
        #expect(broker.keyBytes > Self.limit / 2)
        #expect(Self.publish(ann, "room-\(1_999 % 7)", 1_999)?.flag("duplicate") == true)
        #expect(Self.publish(ann, "room-0", 0)?.flag("duplicate") != true)
    }

    @Test func `keys that have lived long enough are forgotten where nothing happens any more`() {
        let broker = Self.broker()
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        ann.subscribe("room")
        for number in UInt64(0)..<20 { _ = Self.publish(ann, "room", number) }
        broker.advance(by: .minutes(9))
        #expect(broker.keyBytes > 0)
        for _ in 0..<3 { broker.advance(by: .minutes(1)) }
        #expect(broker.keyBytes == 0)
    }

    @Test func `rooms that are let go of take nothing`() {
        var limits = BrokerLimits()
        limits.dormantRooms = 10
        let broker = TestBroker(limits: limits)
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        for number in UInt64(0)..<500 { _ = Self.publish(ann, "room-\(number)", number) }
        #expect(broker.keyBytes < 12 * 1_000)
    }
}

extension TestBroker {
    fileprivate var keyBytes: Int {
        self.run()
        return self.shards.reduce(0) { $0 + $1.onLoop.owner.sequencer.keyBytes }
    }
}
