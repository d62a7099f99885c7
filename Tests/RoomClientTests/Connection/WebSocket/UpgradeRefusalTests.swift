import NIOCore
import RoomTestKit
import Testing

@testable import RoomClient

/// Answers that give no WebSocket.
struct UpgradeRefusalTests {
    private static func refusal(_ answer: String, isWhole: Bool = true) throws -> UpgradeRefusal? {
        let url = try BrokerAddress("ws://broker.example")
        var upgrade = WebSocketUpgrade(to: url, path: "/", nonce: Array(0..<16))
        var (bytes, refusal) = (ByteBuffer(string: answer), UpgradeRefusal?.none)
        while let byte = bytes.readSlice(length: 1) {
            guard case .refused(let other) = upgrade.received(byte) else { continue }
            #expect(bytes.readableBytes == 0)
            refusal = other
        }
        #expect((refusal != nil) == isWhole)
        return refusal ?? upgrade.ended()
    }

    private static func answer(_ head: String, _ body: String, type: String = "text/plain") -> String {
        "HTTP/1.1 \(head)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `the broker's words and its pause are kept`() throws {
        let body = #"{"message":"this address has too many connections","code":"too_many_connections"}"#
        let refusal = try Self.refusal(
            Self.answer("503 Service Unavailable\r\nRetry-After: 7", body, type: "application/json")
        )
        #expect(refusal?.code == .tooManyConnections)
        #expect(refusal?.retryAfter == .seconds(7))
        #expect(refusal?.isFinal == false)
        #expect(
            refusal?.text
                == "the server answers 503 Service Unavailable in place of a WebSocket: this address has too many connections"
        )
    }

    @Test func `a refusal that would be repeated is final`() throws {
        let body = #"{"type":"about:blank","title":"Forbidden","status":403,"detail":"banned","code":"banned"}"#
        let refusal = try Self.refusal(Self.answer("403 Forbidden", body, type: "application/problem+json"))
        #expect(refusal?.code == .banned)
        #expect(refusal?.isFinal == true)
        #expect(refusal?.text.hasSuffix(": banned") == true)
    }

    @Test(arguments: [
        ("404 Not Found", "text/plain", "WebSocket is off here\n", ": WebSocket is off here"),
        ("426 Upgrade Required", "application/json", #"{"message":"use 13","code":"upgrade_required"}"#, ": use 13"),
        ("502 Bad Gateway", "text/html; charset=utf-8", "<html>nginx</html>", ""),
        ("500", "text/plain", "a\u{1b}[31m\r\n\tb", ": a[31m b"), ("200 OK", "text/plain", "", ""),
        ("400 Bad Request", "application/json", "[7]", ": [7]"),
    ])
    func `other answers are told with their status`(status: String, type: String, body: String, words: String) throws {
        let refusal = try Self.refusal(Self.answer(status, body, type: type))
        #expect(refusal?.code == .connectionFailed)
        #expect(refusal?.isFinal == false)
        #expect(refusal?.text == "the server answers \(status) in place of a WebSocket\(words)")
    }

    @Test func `a redirect names the place`() throws {
        let refusal = try Self.refusal(Self.answer("301 Moved\r\nLocation: https://rooms.example/v3/websocket", ""))
        #expect(refusal?.code == .connectionFailed)
        #expect(refusal?.text.contains("points to https://rooms.example/v3/websocket") == true)
    }

    @Test func `a body that ends early is taken as far as it came`() throws {
        let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\noff here"
        #expect(try Self.refusal(answer, isWhole: false)?.text.hasSuffix(": off here") == true)
    }

    @Test(arguments: ["", "Transfer-Encoding: chunked\r\n", "Content-Length: x\r\n", "Content-Length: -1\r\n"])
    func `a body without a length is not waited for`(field: String) throws {
        let refusal = try Self.refusal("HTTP/1.1 404 Not Found\r\n\(field)\r\n")
        #expect(refusal?.text == "the server answers 404 Not Found in place of a WebSocket")
    }

    @Test(arguments: ["Fri, 31 Dec 2027 23:59:59 GMT", "soon", "1.5", ""])
    func `a pause that is not a number is not one`(value: String) throws {
        #expect(try Self.refusal(Self.answer("503 Busy\r\nRetry-After: \(value)", ""))?.retryAfter == nil)
    }

    @Test func `no pause is longer than a day`() throws {
        let refusal = try Self.refusal(Self.answer("503 Busy\r\nRetry-After: \(Int.max)", ""))
        #expect(refusal?.retryAfter == .seconds(86_400))
    }

    @Test func `nothing is known of a connection that ends before an answer`() throws {
        #expect(try Self.refusal("HTTP/1.1 404", isWhole: false) == nil)
    }
}
