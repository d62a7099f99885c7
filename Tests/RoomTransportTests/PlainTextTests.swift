import NIOCore
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

    @Test func `without a newline a pause of 20 ms ends the line`() {
        let leia = self.listener()
        let luke = self.broker.connect()
        luke.sendBytes("iam:Luke")
        self.broker.advance(by: .milliseconds(19))
        #expect(leia.receiveLines() == [])
        self.broker.advance(by: .milliseconds(2))
        #expect(leia.receiveLines() == ["Luke has joined"])
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
        self.broker.advance(by: .milliseconds(21))
        #expect(leia.receiveLines() == ["café"])
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
}
