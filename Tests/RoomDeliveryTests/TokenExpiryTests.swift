import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

/// Tokens that end while their member is connected.
struct TokenExpiryTests {
    private static let live = ChannelSettings.make(authentication: .required).with { $0.tokenExpiry = .live }

    private static func member(
        _ broker: TestBroker,
        expires: Int64 = 60,
        _ fields: String = ""
    ) -> TestConnection {
        let client = broker.connect()
        client.handshake(token: TestToken.make(expires: expires), fields)
        client.subscribe("room")
        _ = client.receive()
        return client
    }

    @Test func `at use, an expired token changes nothing`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let client = Self.member(broker)
        broker.advance(by: .hours(10))
        #expect(client.publish("room", "1")?.code == nil)
        #expect(client.summaries() == ["publish 1"])
    }

    @Test func `live, it is told to the second, and nothing is answered but another token`() {
        let broker = TestBroker(channels: [Self.live])
        let client = Self.member(broker)
        broker.advance(by: .seconds(59))
        #expect(client.summaries() == [])
        broker.advance(by: .seconds(1))
        #expect(client.summaries() == ["token_expired"])
        for request in [
            #""type":"publish","room":"room","message":1"#, #""type":"rooms""#, #""type":"history","room":"room""#,
        ] {
            #expect(client.request(request)?.code == "token_expired")
        }
        #expect(client.authenticate(TestToken.make(expires: 60))?.code == "token_expired")
        #expect(client.authenticate(TestToken.make(expires: 100))?.code == nil)
        #expect(client.publish("room", "1")?.code == nil)
        #expect(client.summaries() == ["publish 1"], "it has stayed in its room")
        broker.advance(by: .seconds(39))
        #expect(client.summaries() == [])
        broker.advance(by: .seconds(1))
        #expect(client.summaries() == ["token_expired"])
    }

    @Test func `who shows no token where one is required is let go`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let (silent, member) = (broker.connect(), broker.connect())
        silent.handshake()
        member.handshake()
        broker.advance(by: .seconds(119))
        #expect(member.authenticate(TestToken.make(expires: 600))?.code == nil)
        #expect(!silent.isClosed)
        broker.advance(by: .seconds(1))
        // it may come back: an app may ask somebody for a name first
        let goodbye = silent.receive().first
        #expect(goodbye?.code == "handshake_timeout")
        #expect(goodbye?.flag("reconnect") == true)
        #expect(silent.isClosed)
        broker.advance(by: .minutes(10))
        #expect(member.publish("room", "1")?.code == nil)
    }

    @Test
    func `Scaledrone's JavaScript client comes back after that: there is no Close, and nothing that says exceeded`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let client = broker.connectWebSocket()
        #expect(client.handshake()?.flag("require_auth") == true)
        broker.advance(by: .minutes(2))
        let goodbye = client.receive().first
        #expect(goodbye?.type == "goodbye")
        #expect(goodbye?.text("reason")?.contains("exceeded") == false)
        let events = client.webSocket?.takeEvents() ?? []
        #expect(events.allSatisfy { $0 == .ping(ByteBuffer()) }, "\(events)")
        #expect(client.isClosed)
    }

    @Test func `an operator sets how long a client may take`() {
        var limits = BrokerLimits()
        limits.tokenTime = .seconds(5)
        let broker = TestBroker(channels: [.make(authentication: .required)], limits: limits)
        let client = broker.connect()
        client.handshake()
        broker.advance(by: .seconds(5))
        #expect(client.receive().map(\.code) == ["handshake_timeout"])
    }

    @Test func `what happens in its rooms still comes, until it is let go`() {
        let broker = TestBroker(channels: [Self.live])
        let (client, other) = (Self.member(broker), Self.member(broker, expires: 1_000))
        broker.advance(by: .seconds(60))
        other.publish("room", "1")
        broker.advance(by: .seconds(29))
        #expect(client.summaries() == ["token_expired", "publish 1"])
        #expect(!client.isClosed)
        broker.advance(by: .seconds(1))
        let goodbye = client.receive()
        #expect(goodbye.map(\.summary) == ["goodbye"])
        #expect(goodbye.first?.code == "token_expired")
        #expect(goodbye.first?.flag("reconnect") == true)
        #expect(client.isClosed)
    }

    @Test(arguments: [1, 5, 20])
    func `however many tokens were shown before, the last one counts`(count: Int) {
        let broker = TestBroker(channels: [Self.live])
        let client = Self.member(broker)
        for number in 0..<count { client.authenticate(TestToken.make(expires: 60 + Int64(number % 3))) }
        client.authenticate(TestToken.make(expires: 65))
        broker.advance(by: .seconds(64))
        #expect(client.summaries() == [])
        broker.advance(by: .seconds(1))
        #expect(client.summaries() == ["token_expired"])
        broker.advance(by: .seconds(29))
        #expect(client.summaries() == [], "it has all of its time to show another one")
        broker.advance(by: .seconds(1))
        #expect(client.summaries() == ["goodbye"])
    }

    @Test func `a token that ends sooner counts too`() {
        let broker = TestBroker(channels: [Self.live])
        let client = Self.member(broker, expires: 10_000)
        client.authenticate(TestToken.make(expires: 5))
        broker.advance(by: .seconds(5))
        #expect(client.summaries() == ["token_expired"])
        client.authenticate(TestToken.make(expires: 9_999))
        broker.advance(by: .seconds(9_900))
        #expect(client.summaries() == [])
    }

    @Test func `a clock that is set back gives time, one that is set forward is seen within the hour`() {
        let broker = TestBroker(channels: [Self.live])
        let client = Self.member(broker, expires: 7_200)
        broker.clock.advance(milliseconds: -100_000)
        broker.advance(by: .seconds(7_250))
        #expect(client.summaries() == [])
        broker.advance(by: .seconds(50))
        #expect(client.summaries() == ["token_expired"])

        let other = Self.member(broker, expires: 100_000)
        broker.clock.advance(milliseconds: 1_000_000_000)
        broker.advance(by: .seconds(3_600))
        #expect(other.summaries() == ["token_expired"])
    }

    @Test func `a session in its grace period shows its new token when it is resumed`() {
        let broker = TestBroker(channels: [Self.live])
        let client = broker.connect()
        let reply = client.handshake(token: TestToken.make(expires: 60), #","resumable":true"#)
        broker.advance(by: .seconds(59))
        client.drop()
        broker.advance(by: .seconds(5))
        let again = broker.connect()
        let resumed = again.handshake(
            token: TestToken.make(expires: 70),
            #","resume":"\#(reply?.text("resume_token") ?? "")""#
        )
        #expect(resumed?.text("client_id") == reply?.text("client_id"))
        broker.advance(by: .seconds(6))
        #expect(again.summaries() == ["token_expired"])
    }

    @Test func `made live, a token that has ended is told at once`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let client = Self.member(broker)
        broker.advance(by: .seconds(100))
        broker.change(Self.live)
        broker.advance(by: .nanoseconds(1))
        #expect(client.summaries() == ["token_expired"])
        broker.change(.make(authentication: .none))
        #expect(client.publish("room", "1")?.code == nil)
        broker.advance(by: .minutes(2))
        #expect(client.summaries() == ["publish 1"])
    }

    @Test func `changes of the channel do not shorten anybody's time`() {
        let broker = TestBroker(channels: [Self.live])
        let client = Self.member(broker)
        for _ in 0..<5 { broker.change(Self.live) }
        broker.advance(by: .seconds(60))
        for _ in 0..<5 { broker.change(Self.live) }
        broker.advance(by: .seconds(29))
        #expect(client.summaries() == ["token_expired"])
        broker.advance(by: .seconds(1))
        #expect(client.summaries() == ["goodbye"])
    }
}
