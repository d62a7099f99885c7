import NIOCore
import RoomTestKit
import Testing

@testable import RoomClient

struct WebSocketUpgradeTests {
    private static func upgrade(_ url: String = "ws://broker.example:10001") throws -> WebSocketUpgrade {
        let address = try BrokerAddress(url)
        return WebSocketUpgrade(to: address, path: address.webSocketPath ?? "", nonce: Array(0..<16))
    }

    private static func proof(of upgrade: WebSocketUpgrade) -> String {
        WebSocketBrokerEnd.answer(String(buffer: upgrade.request))
    }

    @Test(arguments: [
        ("ws://broker.example:10001", "/v3/websocket", "broker.example:10001"),
        ("ws://broker.example", "/v3/websocket", "broker.example"),
        ("ws://broker.example:443", "/v3/websocket", "broker.example:443"),
        ("wss://broker.example", "/v3/websocket", "broker.example"),
        ("wss://broker.example:80/", "/v3/websocket", "broker.example:80"),
        ("ws://[::1]:10001/chat", "/chat", "[::1]:10001"),
        ("wss://[2001:db8::1]/a%20b?room=1&x", "/a%20b?room=1&x", "[2001:db8::1]"),
    ])
    func `the request names the place as HTTP wants it`(url: String, path: String, host: String) throws {
        let request = String(buffer: try Self.upgrade(url).request)
        let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
        #expect(lines.first == "GET \(path) HTTP/1.1")
        #expect(lines.suffix(2) == ["", ""])
        for field in [
            "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "User-Agent: RoomClient",
        ] {
            #expect(lines.filter { $0 == field }.count == 1, "\(field)")
        }
        let key = lines.compactMap { $0.wholeMatch(of: /Sec-WebSocket-Key: ([A-Za-z0-9+\/]{22}==)/) }
        #expect(key.count == 1)
    }

    @Test func `each request has a key of its own`() throws {
        let address = try BrokerAddress("ws://broker.example")
        let requests = (0..<2).map { _ in WebSocketUpgrade(to: address, path: "/").request }
        #expect(requests[0] != requests[1])
    }

    @Test func `an answer is read however the network splits it, and what follows is the first frames`() throws {
        let upgrade = try Self.upgrade()
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
        for answer in [Self.proof(of: upgrade), interim + Self.proof(of: upgrade)] {
            for size in [1, 2, 7, answer.utf8.count] {
                var (upgrade, bytes) = (upgrade, ByteBuffer(string: answer))
                while bytes.readableBytes > size, let piece = bytes.readSlice(length: size) {
                    #expect(upgrade.received(piece) == nil)
                }
                bytes.writeString("first frames")
                #expect(upgrade.received(bytes) == .opened(rest: ByteBuffer(string: "first frames")))
            }
        }
    }

    @Test(arguments: [
        ("websocket", "WebSocket"), ("Connection: Upgrade", "connection:\tkeep-alive,  upgrade "),
        ("HTTP/1.1 101 Switching Protocols", "HTTP/1.1 101"), ("Upgrade: websocket", "UPGRADE:websocket"),
    ])
    func `the case of words and blanks do not matter`(word: String, other: String) throws {
        var upgrade = try Self.upgrade()
        let answer = Self.proof(of: upgrade).replacing(word, with: other)
        #expect(upgrade.received(ByteBuffer(string: answer)) == .opened(rest: ByteBuffer()))
    }

    @Test(arguments: [
        ("Upgrade: websocket\r\n", "", UpgradeRefusal.noProof), ("Upgrade: websocket", "Upgrade: h2c", .noProof),
        ("Connection: Upgrade", "Connection: close", .noProof), ("Accept: ", "Accept: x", .noProof),
        ("Sec-WebSocket-Accept", "Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Accept", .notAskedFor),
        ("Sec-WebSocket-Accept", "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept", .notAskedFor),
        ("HTTP/1.1", "HTTP/2", .noHTTP), ("HTTP/1.1 101", "HTTP/1.1 1010", .noHTTP), ("101", "1x1", .noHTTP),
        ("Upgrade: websocket", "Upgrade websocket", .noHTTP), ("Upgrade: websocket", ": websocket", .noHTTP),
    ])
    func `an answer that breaks a rule opens nothing`(word: String, other: String, refusal: UpgradeRefusal) throws {
        var upgrade = try Self.upgrade()
        let answer = Self.proof(of: upgrade).replacing(word, with: other)
        #expect(upgrade.received(ByteBuffer(string: answer)) == .refused(refusal))
    }

    @Test func `the proof of another request opens nothing`() throws {
        var upgrade = try Self.upgrade()
        let other = WebSocketUpgrade(to: try BrokerAddress("ws://h"), path: "/")
        #expect(upgrade.received(ByteBuffer(string: Self.proof(of: other))) == .refused(.noProof))
        let answer = Self.proof(of: upgrade)
        let twice = answer.replacing("\r\nSec-", with: "\r\nSec-WebSocket-Accept: x\r\nSec-")
        #expect(upgrade.received(ByteBuffer(string: twice)) == .refused(.noProof))
    }

    @Test(arguments: ["{\"type\"", "SSH-2.0-x\r\n", "220 mail.example\r\n\r\n", "HTTP/0.9 200\r\n\r\n", "H2"])
    func `what is not HTTP is told at once`(text: String) throws {
        var upgrade = try Self.upgrade()
        #expect(upgrade.received(ByteBuffer(string: text)) == .refused(.noHTTP))
    }

    @Test func `a head without end is given up`() throws {
        var upgrade = try Self.upgrade()
        var text = "HTTP/1.1 101 Switching Protocols\r\nX: "
        text += String(repeating: "x", count: WebSocketUpgrade.longestAnswer - text.utf8.count)
        #expect(upgrade.received(ByteBuffer(string: text)) == nil)
        #expect(upgrade.received(ByteBuffer(string: "x")) == .refused(.noHTTP))
        // nor does a head become possible that ends behind the limit
        var other = try Self.upgrade()
        #expect(other.received(ByteBuffer(string: text + "x\r\n\r\n")) == .refused(.noHTTP))
    }
}
