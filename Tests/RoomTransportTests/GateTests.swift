import NIOCore
import RoomCore
import RoomTestKit
import RoomTransport
import Testing

/// How fast one address may open connections, and what becomes of those that are refused.
struct GateTests {
    private static func broker(rate: Int, refused: Int = 1_000) -> TestBroker {
        var limits = ConnectionGate.Limits()
        limits.rate = rate
        limits.refused = refused
        return TestBroker(gate: limits)
    }

    @Test func `an address may open ten seconds' worth at once, then so many a second`() {
        let broker = Self.broker(rate: 2)
        let clients = (0..<21).map { _ in broker.connect(from: "192.0.2.1") }
        #expect(clients.filter(\.isClosed).count == 1)
        let goodbye = clients.last?.receive().last
        #expect(goodbye?.code == "rate_limited")
        #expect(goodbye?.number("retry_after_ms") == 1_000)
        broker.advance(by: .seconds(1))
        let more = (0..<3).map { _ in broker.connect(from: "192.0.2.1") }
        #expect(more.map(\.isClosed) == [false, false, true])
    }

    @Test func `one address does not slow down another, and loopback is exempt`() {
        let broker = Self.broker(rate: 1)
        for _ in 0..<50 { _ = broker.connect(from: "192.0.2.1") }
        #expect(!broker.connect(from: "192.0.2.2").isClosed)
        #expect((0..<50).allSatisfy { _ in !broker.connect(from: "127.0.0.1").isClosed })
        #expect((0..<50).allSatisfy { _ in !broker.connect(from: "::1").isClosed })
    }

    @Test func `a 64 of IPv6 counts as one address, and IPv4 mapped as IPv4`() {
        let broker = Self.broker(rate: 1)
        let clients = (1...11).map { broker.connect(from: "2001:db8::\($0)") }
        #expect(clients.filter(\.isClosed).count == 1)
        #expect(!broker.connect(from: "2001:db8:0:1::1").isClosed)
        for _ in 0..<10 { _ = broker.connect(from: "::ffff:192.0.2.1") }
        #expect(broker.connect(from: "192.0.2.1").isClosed)
    }

    @Test func `of a flood only so many are told why, the rest is closed at once`() {
        let broker = Self.broker(rate: 1, refused: 5)
        let flood = (0..<100).map { _ in broker.connect(from: "192.0.2.1") }
        #expect(flood.filter(\.isGone).count == 85)
        #expect(broker.connectionTotal == 15)
        // those that were told are closed in time, whether they listen or not
        broker.advance(by: .seconds(6))
        #expect(broker.connectionTotal == 10)
        #expect(flood.dropFirst(10).filter { !$0.isGone }.isEmpty)
        for client in flood { client.drop() }
        #expect(broker.connectionTotal == 0)
        #expect(!broker.connect(from: "192.0.2.1").isClosed)
    }
}
