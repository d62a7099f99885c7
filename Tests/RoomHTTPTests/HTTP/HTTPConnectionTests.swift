import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomCore
import RoomModel
import Testing

@testable import RoomHTTP

@Suite struct HTTPConnectionTests {
    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    /// Answers with the method, the path and the body.
    @Sendable private static func echo(_ request: HTTPRequest, _ problem: Problem?) async -> HTTPResponse {
        if let problem { return .failed(problem) }
        let text = "<\(request.method) \(request.target) \(String(buffer: request.body))>"
        return .json(ByteBuffer(string: text))
    }

    /// Holds an answer back until the test opens it.
    private struct Latch {
        private let signal = DrainSignal()

        func open() { self.signal.turnOn() }

        func wait() async { await self.signal.wait() }
    }

    @Test func `requests are answered one after the other, with their bodies`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send(
            "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + Self.get("/2")
                + "POST /3 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n"
        )
        try await connection.until(received: "<POST /3 de>")
        #expect(connection.received.contains("<POST /1 abc>") && connection.received.contains("<GET /2 >"))
        #expect(connection.isOpen)
    }

    @Test func `an answer has the length of its body, or comes in chunks`() async throws {
        let connection = try await TestConnection { request, _ in
            guard request.target == "/stream" else { return .json(ByteBuffer(string: "{}")) }
            let body = HTTPResponse.Body.stream { write in
                try await write(ByteBuffer(string: "one"))
                try await write(ByteBuffer(string: "three"))
            }
            return HTTPResponse(status: .ok, body: body)
        }
        try await connection.send(Self.get("/"))
        try await connection.until(received: "Content-Length: 2\r\n\r\n{}")
        try await connection.send(Self.get("/stream"))
        try await connection.until(received: "transfer-encoding: chunked\r\n\r\n3\r\none\r\n5\r\nthree\r\n0\r\n\r\n")
    }

    @Test func `the answer to a HEAD has no body`() async throws {
        let connection = try await TestConnection { request, problem in
            await Self.echo(request, problem).withoutBody
        }
        try await connection.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        try await connection.until(received: "Content-Length: 9\r\n\r\n")
        #expect(connection.received.hasSuffix("\r\n\r\n"))
    }

    @Test func `the answer to a HEAD names no length where that to GET names none`() async throws {
        let connection = try await TestConnection { _, _ in
            let body = HTTPResponse.Body.stream { write in try await write(ByteBuffer(string: "one")) }
            return HTTPResponse(status: .ok, headers: ["Content-Type": "text/event-stream"], body: body).withoutBody
        }
        try await connection.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        try await connection.until { !connection.isOpen }
        let fields = ["Content-Type: text/event-stream", "Connection: close", "transfer-encoding: chunked"]
        #expect(connection.received == "HTTP/1.1 200 OK\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
    }

    @Test func `a streamed answer waits while the peer does not read`() async throws {
        let parts = NIOLockedValueBox(0)
        let connection = try await TestConnection { _, _ in
            let body = HTTPResponse.Body.stream { write in
                for number in 1...3 {
                    try await write(ByteBuffer(string: "part"))
                    parts.withLockedValue { $0 = number }
                }
            }
            return HTTPResponse(status: .ok, body: body)
        }
        try await connection.makeWritable(false)
        try await connection.send(Self.get("/"))
        try await connection.until(received: "part")
        for _ in 0..<100 {
            await connection.run()
            await Task.yield()
        }
        #expect(parts.withLockedValue(\.self) == 0)
        try await connection.makeWritable(true)
        try await connection.until { parts.withLockedValue(\.self) == 3 }
        try await connection.until(received: "0\r\n\r\n")
    }

    @Test func `a stream ends when the peer goes, whether it writes or waits`() async throws {
        let (waiting, neverEnds) = AsyncStream.makeStream(of: Never.self)
        defer { neverEnds.finish() }
        for isWriting in [true, false] {
            let connection = try await TestConnection { _, _ in
                let body = HTTPResponse.Body.stream { write in
                    try await write(ByteBuffer(string: "part"))
                    while isWriting { try await write(ByteBuffer(string: "part")) }
                    for await _ in waiting {}
                    try Task.checkCancellation()
                }
                return HTTPResponse(status: .ok, body: body)
            }
            try await connection.send(Self.get("/"))
            try await connection.until(received: "part")
            if isWriting { try await connection.makeWritable(false) }
            connection.channel.close(promise: nil)
            await connection.run()
            let ended = Task { await connection.tasks.untilNone() }
            let isEnded = NIOLockedValueBox(false)
            Task {
                await ended.value
                isEnded.withLockedValue { $0 = true }
            }
            try await connection.until { isEnded.withLockedValue(\.self) }
        }
    }

    @Test func `a request whose peer goes is carried out`() async throws {
        let latch = Latch()
        let wasCancelled = NIOLockedValueBox<Bool?>(nil)
        let connection = try await TestConnection { request, problem in
            await latch.wait()
            wasCancelled.withLockedValue { $0 = Task.isCancelled }
            return await Self.echo(request, problem)
        }
        try await connection.send(Self.get("/"))
        connection.channel.close(promise: nil)
        await connection.run()
        latch.open()
        try await connection.until { wasCancelled.withLockedValue { $0 != nil } }
        #expect(wasCancelled.withLockedValue(\.self) == false)
    }

    @Test func `an answer that cannot go on is seen to be cut off`() async throws {
        let connection = try await TestConnection { _, _ in
            let body = HTTPResponse.Body.stream { write in
                try await write(ByteBuffer(string: "part"))
                throw ChannelError.ioOnClosedChannel
            }
            return HTTPResponse(status: .ok, body: body)
        }
        try await connection.send(Self.get("/"))
        try await connection.until { !connection.isOpen }
        #expect(connection.received.hasSuffix("part\r\n"))
    }

    @Test func `a stream that fails before its first part sends nothing`() async throws {
        let connection = try await TestConnection { _, _ in
            HTTPResponse(status: .ok, body: .stream { _ in throw ChannelError.ioOnClosedChannel })
        }
        try await connection.send(Self.get("/"))
        try await connection.until { !connection.isOpen }
        #expect(connection.received.isEmpty)
    }

    @Test func `a stream without a part is an empty body`() async throws {
        let connection = try await TestConnection { _, _ in HTTPResponse(status: .ok, body: .stream { _ in }) }
        try await connection.send(Self.get("/"))
        try await connection.until(received: "transfer-encoding: chunked\r\n\r\n0\r\n\r\n")
        #expect(connection.isOpen)
    }

    @Test(arguments: [2, 3, 4]) func `a stream has the length that its head says, or cuts the connection off`(
        length: Int
    ) async throws {
        let connection = try await TestConnection { _, _ in
            HTTPResponse(
                status: .ok,
                body: .stream(length: length) { write in try await write(ByteBuffer(string: "abc")) }
            )
        }
        try await connection.send(Self.get("/") + Self.get("/"))
        if length == 3 {
            try await connection.until { connection.received.ranges(of: "Content-Length: 3\r\n\r\nabc").count == 2 }
            #expect(connection.isOpen)
        } else {
            try await connection.until { !connection.isOpen }
            #expect(connection.received.hasSuffix("Content-Length: \(length)\r\n\r\nabc"))
        }
    }

    @Test func `HTTP 1.0 gets no chunks, and the end of the connection`() async throws {
        let connection = try await TestConnection { _, _ in
            let body = HTTPResponse.Body.stream { write in
                try await write(ByteBuffer(string: "one,"))
                try await write(ByteBuffer(string: "two"))
            }
            return HTTPResponse(status: .ok, body: body)
        }
        try await connection.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        try await connection.until { !connection.isOpen }
        #expect(connection.received.hasPrefix("HTTP/1.0 200 OK"))
        #expect(connection.received.hasSuffix("\r\n\r\none,two"))
    }

    @Test func `a refusal stays readable while its peer sends on`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send("GET /no version\r\n\r\n")
        try await connection.until(received: "HTTP/1.1 400")
        for _ in 0..<3 { try await connection.send("more of it\r\n") }
        #expect(connection.isOpen)
        await connection.advance(by: HTTPLimits().lingerTime)
        #expect(!connection.isOpen)
    }

    @Test func `a connection without a request is closed after its time`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        await connection.advance(by: .seconds(59))
        try await connection.send(Self.get("/"))
        try await connection.until(received: "<GET / >")
        await connection.advance(by: .seconds(59))
        #expect(connection.isOpen)
        await connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a request may take longer than a connection may be idle`() async throws {
        let latch = Latch()
        let connection = try await TestConnection { request, problem in
            await latch.wait()
            return await Self.echo(request, problem)
        }
        try await connection.send(Self.get("/"))
        await connection.advance(by: .hours(1))
        latch.open()
        try await connection.until(received: "<GET / >")
        #expect(connection.isOpen)
    }

    @Test func `who has half-closed gets all answers, and then the end`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send(Self.get("/1") + Self.get("/2"))
        try await connection.fire(ChannelEvent.inputClosed)
        try await connection.until { !connection.isOpen }
        #expect(connection.received.contains("<GET /1 >") && connection.received.contains("<GET /2 >"))
        let silent = try await TestConnection(respond: Self.echo)
        try await silent.fire(ChannelEvent.inputClosed)
        #expect(!silent.isOpen)
    }

    @Test func `a draining broker closes what is idle, and the rest after its answer`() async throws {
        let idle = try await TestConnection(respond: Self.echo)
        try await idle.fire(ChannelShouldQuiesceEvent())
        #expect(!idle.isOpen)
        let latch = Latch()
        let busy = try await TestConnection { request, problem in
            await latch.wait()
            return await Self.echo(request, problem)
        }
        try await busy.send(Self.get("/"))
        try await busy.fire(ChannelShouldQuiesceEvent())
        #expect(busy.isOpen)
        latch.open()
        try await busy.until { !busy.isOpen }
        #expect(busy.received.contains("<GET / >"))
    }

    @Test func `a request whose body still comes is answered before the drain ends its connection`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab")
        try await connection.fire(ChannelShouldQuiesceEvent())
        try await connection.send("c")
        try await connection.until { !connection.isOpen }
        #expect(connection.received.contains("<POST /1 abc>"))
    }

    // MARK: WebSocket

    private static let handshake = """
        GET /v3/websocket HTTP/1.1\r
        Host: server.example.com\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r\n
        """

    @Test func `an upgrade behind other requests waits for their answers`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send(Self.get("/1") + Self.get("/2") + Self.handshake + "frame")
        try await connection.until { connection.webSocketReceived == "frame" }
        let answers = connection.received.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(answers == ["200", "200", "101"])
    }

    @Test func `there is one upgrade on a connection`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send(Self.handshake + Self.handshake)
        try await connection.until { connection.webSocketReceived == Self.handshake }
        #expect(connection.received.ranges(of: "101 Switching").count == 1)
    }

    @Test func `a refused upgrade is answered over HTTP`() async throws {
        let problem = Problem(RequestError(.tooManyConnections, "full", retryAfterMilliseconds: 5_000))
        let connection = try await TestConnection(refusingWebSockets: problem, respond: Self.echo)
        try await connection.send(Self.handshake)
        try await connection.until { !connection.isOpen }
        #expect(connection.received.hasPrefix("HTTP/1.1 503 "))
        #expect(connection.received.contains("Retry-After: 5\r\n"))
    }

    @Test func `a request that is no upgrade is told so, and the connection stays`() async throws {
        let connection = try await TestConnection(respond: Self.echo)
        try await connection.send(Self.get("/v3/websocket") + Self.get("/2"))
        try await connection.until(received: "<GET /2 >")
        #expect(connection.received.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
        #expect(connection.received.contains("Upgrade: websocket\r\nConnection: Upgrade\r\n"))
        #expect(connection.isOpen)
    }
}
