import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// How fast a moderator may act.
struct ModerationRateTests {
    /// Does everything at once.
    private struct Desk: ModerationService {
        func perform(
            _ act: ModerationAct,
            in room: RoomKey,
            by moderator: Moderator,
            completion: @escaping @Sendable (Result<ModerationReceipt, RequestError>) -> Void
        ) {
            completion(.success(.done))
        }
    }

    private static func moderator(_ broker: TestBroker) -> TestConnection {
        broker.shards[0].onLoop.moderationService = Desk()
        let client = broker.connect()
        client.handshake(
            token: TestToken.make(#"{".*":{"publish":true,"subscribe":true,"history":100,"moderate":true}}"#)
        )
        return client
    }

    private static func act(_ client: TestConnection) -> ReceivedFrame? {
        client.request(#""type":"moderate","room":"room","action":"unlock""#)
    }

    @Test func `a connection has a rate of acts`() {
        let broker = TestBroker(channels: [.make(authentication: .optional)])
        let mod = Self.moderator(broker)
        for _ in 0..<30 { #expect(Self.act(mod)?.code == nil) }
        for _ in 0..<2 {
            let refused = Self.act(mod)
            #expect(refused?.code == "rate_limited")
            #expect(refused?.number("retry_after_ms") == 100)
        }
        broker.advance(by: .milliseconds(100))
        #expect(Self.act(mod)?.code == nil)
        #expect(Self.act(mod)?.code == "rate_limited")
        #expect(mod.publish("room", "1")?.code == nil)
    }

    @Test func `acts take of what a connection may publish`() {
        var limits = BrokerLimits()
        limits.publishRate = 2
        let broker = TestBroker(channels: [.make(authentication: .optional)], limits: limits)
        let mod = Self.moderator(broker)
        #expect(Self.act(mod)?.code == nil)
        #expect(mod.publish("room", "1")?.code == nil)
        #expect(Self.act(mod)?.code == "rate_limited")
    }
}
