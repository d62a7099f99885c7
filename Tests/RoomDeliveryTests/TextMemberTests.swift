import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import RoomTransport
import Testing

/// Plain-text clients in a room with JSON members (protocol §4).
struct TextMemberTests {
    private static func text(_ broker: TestBroker, _ lines: String...) -> TestConnection {
        let client = broker.connect()
        client.sendBytes(lines.map { $0 + "\r\n" }.joined())
        _ = client.receiveLines()
        return client
    }

    @Test func `a name is announced to everyone, itself included`() {
        let broker = TestBroker()
        let other = Self.text(broker, "msg:hi")
        let luke = broker.connect()
        luke.sendBytes("iam:Luke\n")
        #expect(luke.receiveLines() == ["Luke has joined"])
        #expect(other.receiveLines() == ["Luke has joined"])
    }

    @Test func `msg comes to all, any other line to the others`() {
        let broker = TestBroker()
        let (luke, leia) = (Self.text(broker, "iam:Luke"), Self.text(broker, "iam:Leia"))
        _ = luke.receiveLines()
        luke.sendBytes("msg:hello\nfoo\n")
        #expect(luke.receiveLines() == ["Luke: hello"])
        #expect(leia.receiveLines() == ["Luke: hello", "Luke: foo"])
    }

    @Test func `each line is a write of its own`() {
        let broker = TestBroker()
        let (luke, leia) = (Self.text(broker, "iam:Luke"), Self.text(broker, "iam:Leia"))
        let before = leia.socket.writes
        luke.sendBytes("a\nb\nc\n")
        #expect(leia.receiveLines() == ["Luke: a", "Luke: b", "Luke: c"])
        #expect(leia.socket.writes == before + 3)
    }

    @Test func `JSON members and text clients see each other's messages`() {
        let broker = TestBroker()
        let luke = Self.text(broker, "iam:Luke")
        let leia = broker.connect()
        leia.handshake(data: #"{"name":"Leia","color":"white"}"#)
        leia.subscribe("lobby")
        _ = leia.receive()

        luke.sendBytes("msg:he said \"hi\"\n")
        let frame = leia.receive().first
        #expect(frame?.message == #"he said "hi""#)
        #expect(frame?.object("sender")?.object("clientData")?.text("name") == "Luke")
        #expect(luke.receiveLines() == [#"Luke: he said "hi""#])

        leia.say("lobby", #""one\u001b[2J\ntwo""#)
        leia.say("lobby", #"{"a": 1}"#)
        leia.say("lobby", "1", #","ephemeral":true"#)
        #expect(luke.receiveLines() == ["Leia: one [2J two", #"Leia: {"a": 1}"#])
    }

    @Test(arguments: ["iam:", "iam:   ", "iam:\(String(repeating: "x", count: 65))", "{\"type\":\"handshake\"}"])
    func `what cannot be done is answered with a line to its sender alone`(line: String) {
        let broker = TestBroker()
        let (luke, leia) = (Self.text(broker, "iam:Luke"), Self.text(broker, "iam:Leia"))
        _ = luke.receiveLines()
        luke.sendBytes(line + "\n")
        #expect(luke.receiveLines().count == 1)
        #expect(leia.receiveLines() == [])
    }

    @Test func `a slow text client gets lines from the store, never JSON`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 4_000
        let broker = TestBroker(limits: limits)
        let (luke, leia) = (Self.text(broker, "iam:Luke"), Self.text(broker, "iam:Leia"))
        _ = luke.receiveLines()
        leia.stopReading(after: 50)
        for number in 1...60 {
            luke.sendBytes("\(number) \(String(repeating: "x", count: 200))\n")
            broker.run()
        }
        leia.readOn()
        let lines = leia.receiveLines()
        #expect(lines.count == 60)
        #expect(lines.allSatisfy { $0.hasPrefix("Luke: ") })
    }

    @Test func `a text client in an observable room is a member with a name and a colour`() {
        let broker = TestBroker()
        broker.settings.textRoom?.room = RoomName("observable-lobby")
        let leia = broker.connect().joined("observable-lobby")
        let luke = Self.text(broker, "iam:Luke")
        let update = leia.receive().last
        #expect(update?.type == "observable_member_update")
        let data = update?.object("data")?.object("clientData")
        #expect(data?.text("name") == "Luke")
        #expect(data?.text("color")?.count == 7)
        luke.drop()
        #expect(leia.summaries() == ["observable_member_leave"])
    }
}
