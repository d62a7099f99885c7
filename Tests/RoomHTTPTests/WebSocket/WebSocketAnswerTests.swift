import NIOHTTP1
import Testing

@testable import RoomHTTP

@Suite struct WebSocketAnswerTests {
    /// The handshake of RFC 6455 §1.3, changed by the test.
    private func upgrade(
        _ method: HTTPMethod = .GET,
        _ uri: String = "/v3/websocket",
        version: HTTPVersion = .http1_1,
        hasBody: Bool = false,
        without name: String? = nil,
        _ change: (inout HTTPHeaders) -> Void = { _ in }
    ) -> WebSocketAnswer? {
        var headers: HTTPHeaders = [
            "Host": "server.example.com", "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
        ]
        if let name { headers.remove(name: name) }
        change(&headers)
        return WebSocketAnswer(
            HTTPRequestHead(version: version, method: method, uri: uri, headers: headers),
            hasBody: hasBody
        )
    }

    private func refusal(_ upgrade: WebSocketAnswer?) -> Problem? {
        if case .refused(let problem)? = upgrade { problem } else { nil }
    }

    private let accepted = WebSocketAnswer.accepted(proof: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

    @Test func `the example of the RFC has its answer`() {
        #expect(self.upgrade() == self.accepted)
        #expect(self.upgrade(.GET, "/v3/websocket?client=1") == self.accepted)
    }

    @Test func `tokens are compared without case, and may stand in lists`() {
        let upgrade = self.upgrade { headers in
            headers.replaceOrAdd(name: "upgrade", value: "h2c, WebSocket")
            headers.replaceOrAdd(name: "connection", value: "keep-alive")
            headers.add(name: "Connection", value: "foo ,UPGRADE")
        }
        #expect(upgrade == self.accepted)
    }

    @Test func `any origin, extension and subprotocol may be offered`() {
        let upgrade = self.upgrade { headers in
            headers.add(name: "Origin", value: "https://evil.example")
            headers.add(name: "Sec-WebSocket-Extensions", value: "permessage-deflate; client_max_window_bits")
            headers.add(name: "Sec-WebSocket-Protocol", value: "chat")
        }
        #expect(upgrade == self.accepted)
    }

    @Test(arguments: ["/", "/v3", "/v3/websocket/", "/v3/websockets", "/v3/%77ebsocket", "/V3/websocket"])
    func `other paths are none of its business`(uri: String) {
        #expect(self.upgrade(.GET, uri) == nil)
    }

    @Test func `another method is refused`() {
        let problem = self.refusal(self.upgrade(.POST))
        #expect(problem?.status == .methodNotAllowed && problem?.headers[field: "Allow"] == "GET")
    }

    @Test func `HTTP 1.0 knows no upgrade`() {
        let problem = self.refusal(self.upgrade(version: .http1_0))
        #expect(problem?.status == .badRequest && problem?.detail.contains("HTTP/1.1") == true)
    }

    @Test(arguments: ["Upgrade", "Connection"])
    func `a request that asks for no upgrade is told to`(name: String) {
        let problem = self.refusal(self.upgrade(without: name))
        #expect(problem?.status == .upgradeRequired && problem?.code == .upgradeRequired)
        #expect(problem?.headers[field: "Upgrade"] == "websocket" && problem?.headers[field: "Connection"] == "Upgrade")
    }

    @Test(arguments: [[], ["8"], ["13", "13"], ["13, 8"], ["013"], [""]])
    func `another version is told the right one`(versions: [String]) {
        let problem = self.refusal(
            self.upgrade(without: "Sec-WebSocket-Version") { headers in
                for version in versions { headers.add(name: "Sec-WebSocket-Version", value: version) }
            }
        )
        #expect(problem?.status == .upgradeRequired && problem?.code == .versionUnsupported)
        #expect(problem?.headers["Sec-WebSocket-Version"] == ["13"])
    }

    @Test(
        arguments: [
            [], [""], ["dGhlIHNhbXBsZSBub25jZQ"], ["dGhlIHNhbXBsZSBub25jZSE="], ["dGhlIHNhbXBsZSBub25jZQ==="],
            ["dGhlIHNhbXBs!SBub25jZQ=="], ["dGhlIHNhbXBsZSBub25j"],
            ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="],
        ]
    )
    func `a key is 16 bytes, once`(keys: [String]) {
        let problem = self.refusal(
            self.upgrade(without: "Sec-WebSocket-Key") { headers in
                for key in keys { headers.add(name: "Sec-WebSocket-Key", value: key) }
            }
        )
        #expect(problem?.status == .badRequest && problem?.code == .malformedRequest)
    }

    @Test func `a body is refused`() {
        #expect(self.refusal(self.upgrade(hasBody: true))?.status == .badRequest)
    }
}
