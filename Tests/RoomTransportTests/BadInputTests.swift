import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// What a hostile or broken client sends costs it an error, and its neighbour nothing.
struct BadInputTests {
    private static let limits: BrokerLimits = {
        var limits = BrokerLimits()
        limits.frame.line = 8_192
        limits.frame.message = 4_096
        limits.frame.endlessLine = 65_536
        return limits
    }()

    /// Runs what the neighbour must not notice.
    private static func besideNeighbour(_ work: (TestBroker, TestConnection) -> Void) {
        let broker = TestBroker(shards: 2, limits: Self.limits)
        let (ann, neighbour) = (broker.connect(shard: 1).joined("room"), broker.connect().joined("room"))
        work(broker, broker.connect())
        ann.say("room", "1")
        #expect(neighbour.summaries() == ["publish 1"])
        #expect(neighbour.publish("room", "2")?.seq == 2)
        #expect(!neighbour.isClosed && neighbour.isRead)
    }

    @Test(
        arguments: [
            ("nonsense", "malformed_json"), ("{\"type\":\"ping\"", "malformed_json"), ("[]", "malformed_json"),
            ("{\"type\":\"ping\"}{}", "malformed_json"), ("{\"type\":\"dance\"}", "unknown_type"),
            ("{\"callback\":1}", "missing_field"), ("{\"type\":7}", "invalid_field"),
            ("{\"type\":\"subscribe\",\"callback\":1}", "missing_field"),
            ("{\"type\":\"subscribe\",\"room\":7,\"callback\":1}", "invalid_field"),
            ("{\"type\":\"subscribe\",\"room\":\"\",\"callback\":1}", "room_name_invalid"),
            ("{\"type\":\"subscribe\",\"room\":\"a\\u0007b\",\"callback\":1}", "room_name_invalid"),
            ("{\"type\":\"subscribe\",\"room\":\"\(String(repeating: "x", count: 201))\"}", "room_name_invalid"),
            ("{\"type\":\"publish\",\"room\":\"room\",\"callback\":1}", "missing_field"),
            ("{\"type\":\"unsubscribe\",\"room\":\"other\",\"callback\":1}", "not_subscribed"),
            ("{\"type\":\"handshake\",\"channel\":\"test\",\"callback\":1}", "already_connected"),
            ("{\"type\":\"ping\",\"type\":\"ping\"}", "duplicate_field"),
            ("{\"type\":\"authenticate\",\"token\":\"x\",\"callback\":1}", "token_invalid"),
            (
                "{\"type\":\"publish\",\"room\":\"room\",\"message\":\(String(repeating: "[", count: 100))}",
                "nesting_too_deep"
            ),
            (
                "{\"type\":\"publish\",\"room\":\"room\",\"message\":\"\(String(repeating: "x", count: 5_000))\"}",
                "message_too_large"
            ),
            (String(repeating: "x", count: 10_000), "line_too_long"),
        ] as [(String, String)]
    )
    func `a bad frame is answered with its code, and the next one is handled`(line: String, code: String) {
        Self.besideNeighbour { broker, bad in
            bad.handshake()
            _ = bad.receive()
            bad.sendBytes(line + "\n")
            bad.send(#"{"type":"ping"}"#)
            #expect(bad.receive().map { $0.code ?? $0.summary } == [code, "pong"])
        }
    }

    @Test(arguments: [
        "{\"type\":\"ping\",\"callback\":1}", "{\"type\":\"subscribe\",\"room\":\"room\",\"callback\":1}",
    ])
    func `frames before the handshake are refused, the handshake then succeeds`(line: String) {
        Self.besideNeighbour { broker, bad in
            bad.send(line)
            let first = bad.receive().first
            #expect((first?.code ?? "handshake_required") == "handshake_required")
            #expect(bad.handshake()?.code == nil)
        }
    }

    @Test func `a line without end is closed`() {
        Self.besideNeighbour { broker, bad in
            bad.handshake()
            for _ in 0..<20 {
                bad.sendBytes(String(repeating: "x", count: 8_000))
                broker.run()
            }
            #expect(bad.receive().map { $0.code } == ["line_too_long", "line_too_long"])
            #expect(bad.isClosed)
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /room HTTP/1.1\r\n\r\n{\"type\":\"handshake\"}\n"])
    func `an HTTP request is answered in kind and closed, never broadcast`(bytes: String) {
        Self.besideNeighbour { broker, bad in
            let listener = broker.connect()
            listener.sendBytes("hello\n")
            _ = listener.receiveLines()
            bad.sendBytes(bytes)
            #expect(bad.receiveLines().first == "HTTP/1.1 400 Bad Request\r")
            #expect(bad.isClosed)
            #expect(listener.receiveLines() == [])
        }
    }

    @Test func `a TLS hello gets an alert`() {
        Self.besideNeighbour { broker, bad in
            bad.sendBytes(ByteBuffer(bytes: [0x16, 0x03, 0x01, 0x00, 0x05, 0x01]))
            broker.run()
            #expect(bad.rest == ByteBuffer(bytes: [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x0a]))
            #expect(bad.isClosed)
        }
    }

    @Test func `a client that asks for history and never reads is held back`() {
        Self.besideNeighbour { broker, bad in
            let ann = broker.connect().joined("other")
            for _ in 0..<50 { ann.say("other", "\"\(String(repeating: "x", count: 2_000))\"") }
            bad.handshake()
            bad.stopReading()
            for _ in 0..<100 { bad.send(#"{"type":"history","room":"other","callback":1}"#) }
            for _ in 0..<10 { bad.sendBytes(String(repeating: #"{"type":"ping"}"# + "\n", count: 5_000)) }
            broker.run()
            #expect(!bad.isRead)
        }
    }

    @Test func `ten thousand subscriptions end at the limit`() {
        Self.besideNeighbour { broker, bad in
            bad.handshake()
            for index in 0..<1_100 {
                bad.sendBytes("{\"type\":\"subscribe\",\"room\":\"r\(index)\",\"callback\":\(index)}\n")
            }
            let codes = bad.receive().compactMap(\.code)
            #expect(codes == Array(repeating: "too_many_rooms", count: 100))
        }
    }

    @Test func `the same message_id from two clients is a repeat or a conflict`() {
        Self.besideNeighbour { broker, bad in
            let other = broker.connect().joined("keys")
            bad.handshake()
            let key = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#
            #expect(other.publish("keys", "1", key)?.seq == 1)
            #expect(bad.publish("keys", "1", key)?.flag("duplicate") == true)
            #expect(bad.publish("keys", "2", key)?.code == "message_id_conflict")
        }
    }

    @Test func `connections that come and go at once leave nothing behind`() {
        Self.besideNeighbour { broker, bad in
            let count = broker.connectionTotal
            let clients = (0..<500).map { broker.connect(shard: $0 % 2) }
            for client in clients { client.drop() }
            #expect(broker.connectionTotal == count)
        }
    }
}
