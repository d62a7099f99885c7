import NIOCore
import RoomTestKit
import Testing

/// People whose terminal sends each letter as it is typed, and programs that send whole commands and no newline.
struct TypingTests {
    private let broker = TestBroker()

    private func listener() -> TestConnection {
        let client = self.broker.connect()
        client.sendBytes("iam:Leia\r\n")
        _ = client.receiveLines()
        return client
    }

    private func type(_ bytes: [UInt8], at pace: Int64, on client: TestConnection) {
        for byte in bytes {
            client.sendBytes(ByteBuffer(bytes: [byte]))
            self.broker.advance(by: .milliseconds(pace))
        }
    }

    // telnet sends CR LF or CR NUL for the Enter key, nc LF
    @Test(arguments: ["\r\n", "\r\0", "\n"], [1, 30, 120, 250, 5_000] as [Int64])
    func `who types key by key publishes no letters`(enter: String, pace: Int64) {
        let leia = self.listener()
        let luke = self.broker.connect()
        self.type(Array("iam:Luke\(enter)msg:hello\(enter)".utf8), at: pace, on: luke)
        #expect(leia.receiveLines() == ["Luke has joined", "Luke: hello"])
    }

    @Test(arguments: ["GET well soon", "Post it", "é, she said", "{ no JSON comes first"])
    func `what begins like another protocol can be typed after a newline`(text: String) {
        let leia = self.listener()
        let luke = self.broker.connect()
        self.type(Array("\r\nmsg:\(text)\r\n".utf8), at: 120, on: luke)
        #expect(leia.receiveLines() == ["?: \(text)"])
    }

    @Test func `a method of HTTP and a letter of two bytes can be typed at once`() {
        let leia = self.listener()
        let (luke, han) = (self.broker.connect(), self.broker.connect())
        self.type(Array("GET well\n".utf8), at: 120, on: luke)
        han.sendBytes("é")
        self.broker.advance(by: .seconds(1))
        han.sendBytes("t")
        self.broker.advance(by: .seconds(1))
        #expect(leia.receiveLines() == ["?: GET well"])
        han.sendBytes("é\n")
        #expect(leia.receiveLines() == ["?: été"])
    }

    @Test(arguments: ["\r\n", "\n", "  \r\n", "\r\0"])
    func `a blank first line counts as a newline`(blank: String) {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes(blank)
        self.broker.advance(by: .milliseconds(50))
        luke.sendBytes("iam:Lu")
        self.broker.advance(by: .seconds(5))
        #expect(leia.receiveLines() == [])
        luke.sendBytes("ke\r\n")
        #expect(leia.receiveLines() == ["Luke has joined"])
    }

    @Test(arguments: [21, 30, 120, 190] as [Int64])
    func `what follows within a person's typing belongs to the line`(pause: Int64) {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("iam:Lu")
        self.broker.advance(by: .milliseconds(pause))
        luke.sendBytes("ke")
        self.broker.advance(by: .seconds(5))
        #expect(leia.receiveLines() == [])
        luke.sendBytes("\nmsg:hi\n")
        #expect(leia.receiveLines() == ["Luke has joined", "Luke: hi"])
    }

    @Test(arguments: [0, 1, 30, 120, 190, 3_000] as [Int64])
    func `a program sends one whole command after the other`(pause: Int64) {
        let leia = self.listener()
        let luke = self.broker.connect()
        for command in ["iam:Luke", "msg:one", "msg:two", "iam:Lucky"] {
            luke.sendBytes(command)
            self.broker.advance(by: .milliseconds(pause))
        }
        self.broker.advance(by: .milliseconds(20))
        let heard = leia.receiveLines()
        #expect(heard == ["Luke has joined", "Luke: one", "Luke: two", "Lucky has joined"])
    }

    @Test func `a program that says nothing but text is heard line by line`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        for text in ["hello", "is anybody here?"] {
            luke.sendBytes(text)
            self.broker.advance(by: .milliseconds(250))
        }
        #expect(leia.receiveLines() == ["?: hello", "?: is anybody here?"])
    }

    @Test func `what telnet says to telnet is no part of a line`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        let negotiation: [UInt8] = [255, 253, 3, 255, 251, 24, 255, 250, 31, 0, 80, 0, 10, 255, 240]
        let said = negotiation + Array("iam:Lu".utf8) + [255, 241] + Array("ke\r\n".utf8) + negotiation
        luke.sendBytes(ByteBuffer(bytes: said + Array("msg:hello\r\n".utf8)))
        #expect(leia.receiveLines() == ["Luke has joined", "Luke: hello"])
        let han = self.broker.connect()
        self.type(negotiation + Array("iam:Han\r\0".utf8) + [255, 244] + Array("hi\r\0".utf8), at: 120, on: han)
        #expect(leia.receiveLines() == ["Han has joined", "Han: hi"])
    }

    @Test func `who only negotiates is silent, and may speak frames`() {
        let leia = self.listener()
        let (silent, json) = (self.broker.connect(), self.broker.connect())
        silent.sendBytes(ByteBuffer(bytes: [255, 253, 3]))
        json.sendBytes(ByteBuffer(bytes: [255, 253, 3]))
        json.handshake()
        self.broker.advance(by: .seconds(3))
        leia.sendBytes("msg:hello\n")
        #expect(silent.receiveLines().last == "Leia: hello")
        #expect(json.request(#""type":"ping""#) != nil)
    }
}
