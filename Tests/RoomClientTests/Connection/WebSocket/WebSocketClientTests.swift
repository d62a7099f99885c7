import NIOCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomClient

/// What only a WebSocket has: its request, its refusals and its Close.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketClientTests {
    private static func withBroker(_ body: (ScriptedBroker) async throws -> Void) async throws {
        try await ClientTransport.$current.withValue(.webSocket) { try await ScriptedBroker.with(body) }
    }

    private static func answer(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `the request is sent when the connection has won, and the frames follow the answer`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            client.startConnecting()
            let attempt = try await broker.attempt()
            let loser = ScriptedConnection(loop: broker.loop)
            try await loser.activate(attempt)
            let link = try await broker.accept(attempt)
            try await link.welcome(link.handshake())
            #expect(await client.state() == "connected ann")
            #expect(link.end.request.hasPrefix("GET /v3/websocket HTTP/1.1\r\nHost: broker.example:7000\r\n"))
            #expect(link.end.faults == [])
            #expect(loser.end.request == "")
            try await loser.lose()
        }
    }

    @Test func `a pause that the server asks for is kept`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            client.startConnecting()
            let body = #"{"code":"too_many_connections","message":"full"}"#
            let link = try await broker.accept(upgrade: Self.answer("503 Busy\r\nRetry-After: 30", body))
            #expect(await client.state() == "waiting too_many_connections")
            #expect(link.isClosed)
            await broker.advance(.milliseconds(29_999))
            #expect(await broker.attemptsWaiting() == 0)
            await broker.advance(.milliseconds(1))
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test(arguments: [
        ("404 Not Found", "WebSocket is off here", "connection_failed"),
        ("426 Upgrade Required", #"{"code":"upgrade_required","message":"no"}"#, "connection_failed"),
        ("302 Found\r\nLocation: /elsewhere", "", "connection_failed"), ("200 OK", "{}", "connection_failed"),
        ("101 Switching Protocols", "", "protocol_violation"),
    ])
    func `an answer that gives no WebSocket is told, and tried again where somebody waits`(
        status: String,
        body: String,
        code: String
    ) async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let link = try await broker.accept(upgrade: Self.answer(status, body))
            #expect(await failure { try await connecting.value }?.code.rawValue == code)
            #expect(link.isClosed)
            #expect(await client.state() == "idle")
        }
    }

    @Test func `a client that is banned at the door does not come back`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            client.startConnecting()
            let body = #"{"code":"banned","message":"this address is banned"}"#
            _ = try await broker.accept(upgrade: Self.answer("403 Forbidden", body))
            #expect(await client.state() == "closed banned")
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    @Test func `a server that ends in the middle of its refusal is heard as far as it came`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let link = try await broker.accept(upgrade: "HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\nlater")
            try await link.lose()
            #expect(
                await failure { try await connecting.value }?.message.hasSuffix(
                    "503 Busy in place of a WebSocket: later"
                ) == true
            )
        }
    }

    @Test func `a server that does not answer is given up`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let link = try await broker.accept(upgrade: "HTTP/1.1 101 Sw")
            await broker.advance(.seconds(10))
            #expect(await failure { try await connecting.value }?.code == .timedOut)
            #expect(link.isClosed)
        }
    }

    @Test(arguments: [
        (UInt16?(4506), "closed replaced"), (4504, "closed banned"), (1012, "waiting shutting_down"),
        (4423, "waiting slow_consumer"), (1000, "waiting connection_lost"), (1001, "waiting connection_lost"),
        (3999, "waiting connection_lost"), (nil, "waiting connection_lost"),
    ])
    func `a Close without a goodbye means what its code says, and is answered`(
        code: UInt16?,
        state: String
    ) async throws {
        try await Self.withBroker { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1)) }
            client.startConnecting()
            let link = try await broker.welcome()
            var bytes = ByteBuffer()
            WebSocketFrameWriter.write(.close, into: &bytes) {
                WebSocketClose(code: code, reason: "r").write(into: &$0)
            }
            try await link.sendBytes(bytes)
            #expect(await client.state() == state)
            #expect(link.end.close?.code == code)
            #expect(link.isClosed)
        }
    }

    @Test func `a rule that the broker breaks ends the connection with a Close that says so`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1)) }
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.sendBytes(ByteBuffer(bytes: [0x81, 0x80, 0, 0, 0, 0]))
            #expect(await client.state() == "waiting protocol_violation")
            #expect(link.end.close?.code == 1002)
            #expect(link.isClosed)
        }
    }

    @Test func `a ping of WebSocket's is answered and a sign of life`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client { $0.heartbeat = .seconds(5) }
            client.startConnecting()
            let link = try await broker.welcome()
            await broker.advance(.seconds(4))
            var ping = ByteBuffer()
            WebSocketFrameWriter.write(.ping, into: &ping) { $0.writeString("?") }
            try await link.sendBytes(ping)
            #expect(link.end.pongs == ["pong"])
            await broker.advance(.seconds(4))
            #expect(await link.unreadKinds() == [])
        }
    }

    @Test func `closing says goodbye with a Close and waits for the broker to end`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let closing = Task { await client.close() }
            while link.end.close == nil { await broker.settle() }
            #expect(link.end.close == WebSocketClose(code: 1000))
            #expect(!link.end.isOutputClosed && !link.isClosed)
            try await link.lose()
            await closing.value
        }
    }

    @Test func `a connection that was given up sends no Close, or its session could not be resumed`() async throws {
        try await Self.withBroker { broker in
            let client = try broker.client { $0.heartbeat = .seconds(5) }
            client.startConnecting()
            let link = try await broker.welcome()
            await broker.advance(.seconds(10))
            #expect(link.isClosed)
            #expect(link.end.close == nil)
            _ = try await broker.welcome()
        }
    }
}
