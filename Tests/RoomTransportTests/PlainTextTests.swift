import NIOCore
import RoomCore
import RoomTestKit
import RoomTransport
import Testing

/// Plain-text clients as telnet, nc and the old tutorials make them: with newlines or none.
struct PlainTextTests {
    private let broker = TestBroker()

    private func listener() -> TestConnection {
        let client = self.broker.connect()
        client.sendBytes("iam:Leia\r\n")
        _ = client.receiveLines()
        return client
    }

    @Test func `without a newline a pause ends the line`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("iam:Luke")
        self.broker.advance(by: .milliseconds(199))
        #expect(leia.receiveLines() == [])
        self.broker.advance(by: .milliseconds(2))
        #expect(leia.receiveLines() == ["Luke has joined"])
        // who sends whole commands does not type: from now on it is the pause within one write
        luke.sendBytes("msg:hel")
        self.broker.advance(by: .milliseconds(10))
        luke.sendBytes("lo")
        self.broker.advance(by: .milliseconds(21))
        #expect(leia.receiveLines() == ["Luke: hello"])
    }

    @Test func `a pause never ends a line inside a character`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes(ByteBuffer(bytes: Array("msg:caf".utf8) + [0xc3]))
        self.broker.advance(by: .seconds(1))
        #expect(leia.receiveLines() == [])
        luke.sendBytes(ByteBuffer(bytes: [0xa9]))
        self.broker.advance(by: .milliseconds(201))
        #expect(leia.receiveLines() == ["?: café"])
    }

    @Test func `after the first newline only newlines end lines`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("iam:Luke\n")
        luke.sendBytes("msg:one")
        self.broker.advance(by: .seconds(5))
        #expect(leia.receiveLines() == ["Luke has joined"])
        luke.sendBytes(" two\nthree\n")
        #expect(leia.receiveLines() == ["Luke: one two", "Luke: three"])
    }

    @Test func `the end of input ends the last line`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("iam:Luke\nmsg:bye")
        luke.halfClose()
        #expect(leia.receiveLines() == ["Luke has joined", "Luke: bye"])
        #expect(luke.receiveLines() == ["Luke has joined", "Luke: bye"])
        #expect(luke.isGone)
    }

    @Test func `a terminal escape in a name or a text reaches nobody`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("iam:L\u{1b}[2Juke\nmsg:a\u{7}\u{0}b\u{9b}c\u{2028}d\n")
        #expect(leia.receiveLines() == ["L[2Juke has joined", "L[2Juke: abc d"])
    }

    @Test func `an invalid line is answered and costs nothing else`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes(ByteBuffer(bytes: Array("iam:Luke\n".utf8) + [0xff, 0xfe, 0x0a] + Array("msg:ok\n".utf8)))
        #expect(luke.receiveLines().count == 3)
        #expect(leia.receiveLines() == ["Luke has joined", "Luke: ok"])
    }

    @Test func `where there is no text room a text client is told`() {
        self.broker.settings.textRoom = nil
        let luke = self.broker.connect()
        luke.sendBytes("hello\n")
        #expect(luke.receiveLines().count == 1)
        #expect(luke.isClosed)
    }

    // MARK: Silent clients

    @Test func `a client that has said nothing for three seconds listens`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        self.broker.advance(by: .milliseconds(2_999))
        #expect(luke.receiveLines() == [])
        self.broker.advance(by: .milliseconds(1))
        #expect(luke.receiveLines() == ["* you are in the room lobby, without a name; type help"])
        leia.sendBytes("msg:hello\n")
        #expect(luke.receiveLines() == ["Leia: hello"])
        self.broker.advance(by: .hours(24))
        luke.sendBytes("iam:Luke\nhere\n")
        #expect(luke.receiveLines() == ["Luke has joined"])
        #expect(leia.receiveLines() == ["Leia: hello", "Luke has joined", "Luke: here"])
    }

    @Test func `a listener becomes what its first bytes say`() {
        let leia = self.listener()
        let (json, http) = (self.broker.connect(), self.broker.connect())
        self.broker.advance(by: .seconds(3))
        #expect(json.receiveLines().count == 1)
        #expect(http.receiveLines().count == 1)
        json.handshake()
        leia.sendBytes("msg:hello\n")
        #expect(json.request(#""type":"rooms""#)?.list("rooms")?.isEmpty == true)
        #expect(json.strayLines == [])
        http.sendBytes("GET / HTTP/1.1\r\n\r\n")
        #expect(http.receiveLines().contains { $0.hasPrefix("HTTP/1.1 400") })
        #expect(http.isClosed)
        json.halfClose()
        #expect(json.isGone)
    }

    @Test func `a listener does not count as silent`() {
        var limits = ConnectionGate.Limits()
        limits.silent = 1
        let broker = TestBroker(gate: limits)
        for _ in 0..<2 {
            let client = broker.connect()
            broker.advance(by: .seconds(3))
            #expect(client.receiveLines().count == 1)
        }
    }

    @Test func `many that fall silent at once listen in turns with the others`() {
        let broker = TestBroker(waitsForSockets: true)
        let clients = (0..<600).map { _ in broker.connect() }
        broker.advance(by: .seconds(3))
        func listeners() -> Int { clients.count { !$0.socket.received.readableBytesView.isEmpty } }
        let first = listeners()
        #expect(first < clients.count / 2)
        for _ in 0..<100 where listeners() < clients.count { broker.lookAtSockets() }
        #expect(listeners() == clients.count)
    }

    @Test func `frames follow a line that the socket has taken in part`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        self.broker.advance(by: .seconds(3))
        _ = luke.receiveLines()
        luke.stopReading(after: 3)
        leia.sendBytes("msg:hello\n")
        luke.send(#"{"type":"handshake","channel":"test","callback":1}"#)
        self.broker.run()
        luke.readOn()
        let lines = luke.receiveLines()
        #expect(lines.first == "Leia: hello")
        #expect(lines.count == 2)
        #expect(!luke.socket.hasOvertaken)
    }

    @Test func `who has spoken before does not begin to listen`() {
        let leia = self.listener()
        let (blank, json) = (self.broker.connect(), self.broker.connect())
        json.sendBytes("{")
        blank.sendBytes("\r\n")
        self.broker.advance(by: .seconds(3))
        leia.sendBytes("msg:hello\n")
        #expect(blank.receiveLines().last == "Leia: hello")
        #expect(json.receiveLines() == [])
    }

    @Test func `where it may not listen it can still say what it wants`() {
        self.broker.removeChannel("test")
        let luke = self.broker.connect()
        self.broker.advance(by: .minutes(4))
        #expect(luke.receiveLines() == [])
        luke.handshake(channel: "plain")
        #expect(luke.request(#""type":"ping""#) != nil)
        let silent = self.broker.connect()
        self.broker.advance(by: .minutes(5))
        #expect(silent.receive().last?.code == "handshake_timeout")
    }

    // MARK: Help, names and the way out

    @Test func `help is answered, and quit leaves`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("HELP\nquit\nmsg:too late\n")
        let lines = luke.receiveLines()
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.hasPrefix("* ") })
        #expect(luke.isGone)
        #expect(leia.receiveLines() == [])
    }

    @Test func `a name of frames cannot look like another line`() {
        let leia = self.listener()
        for name in ["*", "? ", "* Han: hi", #"?\u0301Han:\u0301"#, #"\u202eHan"#, ""] {
            let luke = self.broker.connect()
            luke.handshake(data: #"{"name":"\#(name)"}"#)
            luke.say("lobby", #""hello""#)
        }
        #expect(
            leia.receiveLines() == [
                "?: hello", "?: hello", "Han  hi: hello", "\u{301}Han \u{301}: hello", "Han: hello", "?: hello",
            ]
        )
    }
}
