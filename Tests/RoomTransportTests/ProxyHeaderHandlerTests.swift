import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomTransport

/// A connection that begins with a PROXY header: from its first byte to the client's address.
struct ProxyHeaderHandlerTests {
    private static let handshake = #"{"type":"handshake","channel":"test","callback":0}"# + "\n"
    private static let line = Array("PROXY TCP4 192.0.2.1 10.0.0.1 56324 10000\r\n".utf8)

    private final class Reports: Sendable {
        let all = NIOLockedValueBox<[ProxyRefusals.Report]>([])

        func rule(_ trusted: String = "10.0.0.0/8") -> ProxyRule {
            let refusals = ProxyRefusals { [all] report in all.withLockedValue { $0.append(report) } }
            return ProxyRule(trusted: [AddressRange(trusted)].compactMap { $0 }, refusals: refusals)
        }

        /// As the last report has it.
        var unreported: Int? { self.all.withLockedValue { $0.last?.unreported } }
        var reasons: [String] { self.all.withLockedValue { $0.map(\.reason) } }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the client is served however its header and frames are split`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for (header, _) in ProxyHeaderTests.good {
            let reports = Reports()
            let broker = TestBroker()
            let ann = broker.connect(from: "10.0.0.9", proxy: reports.rule())
            var bytes = ByteBuffer(bytes: header + Array((Self.handshake + #"{"type":"ping"}"# + "\n").utf8))
            while bytes.readableBytes > 0 {
                let count = min(1 + random.below(random.chance(20) ? 200 : 20), bytes.readableBytes)
                bytes.readSlice(length: count).map(ann.sendBytes)
                broker.run()
            }
            #expect(ann.summaries() == ["reply 0", "pong"], "seed \(seed)")
            #expect(reports.reasons == [])
        }
    }

    @Test func `header and frames in one read are both handled`() {
        let ann = TestBroker().connect(from: "10.0.0.9", proxy: Reports().rule())
        ann.sendBytes(ByteBuffer(bytes: Self.line + Array(Self.handshake.utf8)))
        #expect(ann.summaries() == ["reply 0"])
    }

    @Test func `the gate counts the client, not the proxy`() {
        var limits = ConnectionGate.Limits()
        limits.perAddress = 1
        let (broker, rule) = (TestBroker(gate: limits), Reports().rule())
        func client(_ address: String) -> TestConnection {
            let client = broker.connect(from: "10.0.0.9", proxy: rule)
            client.sendBytes("PROXY TCP4 \(address) 10.0.0.1 1 2\r\n" + Self.handshake)
            return client
        }
        let clients = ["192.0.2.1", "192.0.2.2", "192.0.2.1"].map(client)
        #expect(clients.map { $0.receive().last?.code } == [nil, nil, "too_many_connections"])
        clients[0].drop()
        #expect(client("192.0.2.1").receive().last?.code == nil)
    }

    @Test func `a proxy that speaks for itself counts itself`() {
        var limits = ConnectionGate.Limits()
        limits.perAddress = 1
        let (broker, rule) = (TestBroker(gate: limits), Reports().rule())
        let checks = (0..<2).map { _ in broker.connect(from: "10.0.0.9", proxy: rule) }
        for check in checks { check.sendBytes(ByteBuffer(bytes: ProxyHeaderTests.binary(0x20, 0, []))) }
        #expect(checks.map(\.isClosed) == [false, true])
    }

    @Test func `before the header nothing is counted or kept`() {
        let broker = TestBroker()
        let silent = broker.connect(from: "10.0.0.9", proxy: Reports().rule())
        silent.sendBytes("PROXY ")
        broker.run()
        #expect(broker.connectionTotal == 0)
        silent.drop()
        #expect(broker.connectionTotal == 0)
    }

    @Test(arguments: ["192.0.2.1", "11.0.0.1", "2001:db8::1"])
    func `whoever is no trusted proxy is closed before a byte is read`(address: String) {
        let reports = Reports()
        let evil = TestBroker().connect(from: address, proxy: reports.rule())
        #expect(evil.isGone)
        #expect(reports.reasons == ["the peer is none of the trusted proxies"])
        #expect(evil.receive().isEmpty)
    }

    @Test(arguments: ProxyHeaderTests.bad)
    func `garbage closes its own connection and is reported`(bytes: [UInt8]) {
        let (broker, reports) = (TestBroker(), Reports())
        let neighbour = broker.connect().joined("room")
        let evil = broker.connect(from: "10.0.0.9", proxy: reports.rule())
        evil.sendBytes(ByteBuffer(bytes: bytes))
        #expect(evil.isGone)
        #expect(reports.reasons.count == 1)
        #expect(evil.receive().isEmpty)
        #expect(neighbour.publish("room", "1")?.seq == 1)
    }

    @Test func `a header that does not come in time closes the connection`() {
        let (broker, reports) = (TestBroker(), Reports())
        let slow = broker.connect(from: "10.0.0.9", proxy: reports.rule())
        for byte in Self.line.prefix(9) {
            slow.sendBytes(ByteBuffer(bytes: [byte]))
            broker.advance(by: .seconds(1))
        }
        #expect(!slow.isGone)
        broker.advance(by: .seconds(1))
        #expect(slow.isGone)
        #expect(reports.reasons == ["no PROXY header came in time"])
    }

    @Test func `after the header its time no longer counts`() {
        let (broker, reports) = (TestBroker(), Reports())
        let ann = broker.connect(from: "10.0.0.9", proxy: reports.rule())
        ann.sendBytes(ByteBuffer(bytes: Self.line + Array(Self.handshake.utf8)))
        broker.advance(by: .minutes(10))
        #expect(!ann.isClosed)
        #expect(reports.reasons == [])
    }

    @Test func `a check that connects and goes is no matter`() {
        let (broker, reports) = (TestBroker(), Reports())
        let (closed, reset) = (
            broker.connect(from: "10.0.0.9", proxy: reports.rule()),
            broker.connect(from: "10.0.0.9", proxy: reports.rule())
        )
        closed.halfClose()
        reset.drop()
        #expect(closed.isGone && reset.isGone)
        #expect(reports.reasons == [])
    }

    @Test func `a flood of refusals is counted, not reported one by one`() {
        let (broker, reports) = (TestBroker(), Reports())
        let rule = reports.rule()
        for _ in 0..<1_000 { _ = broker.connect(from: "192.0.2.1", proxy: rule) }
        #expect(rule.refusals.total == 1_000)
        #expect(reports.reasons.count == 10)
        broker.advance(by: .seconds(2))
        _ = broker.connect(from: "192.0.2.1", proxy: rule)
        #expect(reports.unreported == 990)
    }
}
