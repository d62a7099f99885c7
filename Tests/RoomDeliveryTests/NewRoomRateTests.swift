import NIOCore
import RoomCore
import RoomTestKit
import Testing

/// What one member may bring to life, by default and without a setting of its channel.
struct NewRoomRateTests {
    @Test func `a member that makes ever new rooms is told to wait, another one is not`() {
        var limits = BrokerLimits()
        limits.newRoomRate = 3
        limits.roomsPerConnection = 20
        let broker = TestBroker(limits: limits)
        let maker = broker.connect()
        maker.handshake()
        let replies = (0..<40).map { maker.publish("new-\($0)", "1") }
        #expect(replies.prefix(30).allSatisfy { $0?.seq == 1 }, "ten seconds' worth at once")
        #expect(replies.dropFirst(30).allSatisfy { $0?.code == "rate_limited" })
        #expect(replies.last??.number("retry_after_ms").map { $0 > 0 } ?? false)
        #expect(maker.publish("new-0", "1")?.seq == 2, "a room that is there is not new")

        let other = broker.connect()
        other.handshake()
        #expect(other.publish("another", "1")?.seq == 1)

        broker.advance(by: .seconds(1))
        #expect(maker.publish("later", "1")?.seq == 1)
    }
}
