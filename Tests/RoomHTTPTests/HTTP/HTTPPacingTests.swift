import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomModel
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

@Suite struct HTTPPacingTests {
    private let loop = EmbeddedEventLoop()
    private let limits = HTTPTurns.Limits()
    private let flows: FairQueue
    private let turns: HTTPTurns

    init() {
        self.flows = FairQueue(wake: {}, isLoopIdle: { true })
        self.turns = HTTPTurns(eventLoop: self.loop, flows: self.flows)
    }

    private func connect(from address: IPAddress? = nil, isProxy: Bool = false) throws -> PacedConnection {
        try PacedConnection(turns: self.turns, loop: self.loop, address: address, isProxy: isProxy)
    }

    /// So many connections as there are places, each with a request that is being answered.
    private func takeAllPlaces() throws -> [PacedConnection] {
        let connections = try (0..<self.limits.running).map { _ in try self.connect() }
        for connection in connections {
            try connection.send(Self.get("/"))
            self.pause()
        }
        #expect(connections.allSatisfy { $0.handedOver == ["/"] })
        return connections
    }

    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

    /// The loop has looked at its sockets.
    private func pause() {
        self.loop.run()
        self.flows.serve()
    }

    @Test func `a body for which there is no memory is refused, and the others go on`() throws {
        var limits = HTTPLoad.Limits()
        limits.bodies = 10_000
        let load = HTTPLoad(limits: limits)
        let (one, two) = (
            try PacedConnection(turns: self.turns, loop: self.loop, load: load),
            try PacedConnection(turns: self.turns, loop: self.loop, load: load)
        )
        let start = "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n"
        for connection in [one, two] {
            try connection.send(start + String(repeating: "x", count: 8_999))
            self.pause()
        }
        #expect(try two.channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }?.contains(" 503 ") == true)
        try one.send("x")
        self.pause()
        #expect(one.handedOver.count == 1)
        #expect(two.handedOver == [])
    }

    @Test func `of 100 pipelined requests one is in the pipeline at a time`() throws {
        let connection = try PacedConnection(turns: self.turns, loop: self.loop)
        try connection.send((0..<100).map { Self.get("/\($0)") }.joined())
        for number in 0..<100 {
            #expect(connection.handedOver == (0...number).map { "/\($0)" })
            self.pause()
            #expect(connection.handedOver.count == number + 1)
            try connection.answer()
            self.pause()
        }
        #expect(connection.handedOver.count == 100)
    }

    @Test func `while the answer is not read, nothing is parsed, and nothing more is read`() throws {
        let connection = try PacedConnection(turns: self.turns, loop: self.loop)
        try connection.send(Self.get("/1") + Self.get("/2"))
        _ = connection.readsMore()
        try connection.answer(isRead: false)
        for _ in 0..<100 {
            self.pause()
            connection.channel.pipeline.read()
        }
        #expect(connection.handedOver == ["/1"])
        #expect(!connection.readsMore())
        connection.readAnswers()
        self.pause()
        #expect(connection.handedOver == ["/1", "/2"])
        #expect(connection.readsMore())
    }

    @Test func `the bodies of pipelined requests stay whole, however they are cut`() throws {
        let posts =
            "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\na\r\n\r\nb" + Self.get("/b")
            + "POST /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            + Self.get("/d") + Self.get("/e") + "POST /f HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"
        for length in [1, 2, 3, 7, 50, 1_000] {
            let connection = try PacedConnection(turns: self.turns, loop: self.loop)
            var rest = posts[...]
            while !rest.isEmpty {
                try connection.send(String(rest.prefix(length)))
                rest = rest.dropFirst(length)
                self.pause()
            }
            for count in 1...6 {
                self.pause()
                #expect(connection.handedOver.count == count)
                try connection.answer()
            }
            #expect(connection.handedOver == ["/a a\r\n\r\nb", "/b", "/c abcde", "/d", "/e", "/f x"])
        }
    }

    @Test func `few are being answered at a time, not counting those that take long`() throws {
        let connections = try (0..<20).map { _ in try PacedConnection(turns: self.turns, loop: self.loop) }
        for connection in connections { try connection.send(Self.get("/")) }
        func handedOver() -> Int { connections.reduce(0) { $0 + $1.handedOver.count } }
        for _ in 0..<10 { self.pause() }
        #expect(handedOver() == self.limits.running)
        try connections[0].answer()
        self.pause()
        #expect(handedOver() == self.limits.running + 1)
        self.loop.advanceTime(by: self.limits.patience)
        for _ in 0..<10 { self.pause() }
        #expect(handedOver() == 2 * self.limits.running + 1)
    }

    @Test func `who has sent more waits for the others`() throws {
        let (busy, other) = (
            try PacedConnection(turns: self.turns, loop: self.loop),
            try PacedConnection(turns: self.turns, loop: self.loop)
        )
        try busy.send(String(repeating: Self.get("/"), count: 50))
        for _ in 0..<10 {
            try busy.answer()
            self.pause()
        }
        let before = busy.handedOver.count
        try other.send(Self.get("/other"))
        self.pause()
        #expect(other.handedOver == ["/other"])
        #expect(busy.handedOver.count <= before + 1)
    }

    @Test func `a connection that goes gives its place back`() throws {
        let connections = try (0..<20).map { _ in try PacedConnection(turns: self.turns, loop: self.loop) }
        for connection in connections { try connection.send(Self.get("/")) }
        for _ in 0..<10 { self.pause() }
        for connection in connections.prefix(self.limits.running) { connection.channel.close(promise: nil) }
        for _ in 0..<10 { self.pause() }
        #expect(connections.reduce(0) { $0 + $1.handedOver.count } == 2 * self.limits.running)
    }

    @Test(arguments: [("G", false), (get("/"), true)])
    func `a request waits behind none that never comes`(bytes: String, closes: Bool) throws {
        let answering = try self.takeAllPlaces()
        let others = try (0..<17).map { _ in try self.connect() }
        for other in others { try other.send(bytes) }
        let last = try self.connect()
        try last.send(Self.get("/last"))
        self.pause()
        if closes { for other in others { other.channel.close(promise: nil) } }
        for connection in answering { try connection.answer() }
        for _ in 0..<3 {
            self.pause()
            self.loop.advanceTime(by: self.limits.patience)
        }
        #expect(last.handedOver == ["/last"])
        let next = try self.connect()
        try next.send(Self.get("/next"))
        self.pause()
        #expect(next.handedOver == ["/next"])
    }

    @Test func `a body is read while all places are taken`() throws {
        let answering = try self.takeAllPlaces()
        let connection = try self.connect()
        try connection.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
        for part in ["abc", "def", "ghi"] {
            connection.channel.pipeline.read()
            self.pause()
            #expect(connection.readsMore())
            try connection.send(part)
        }
        self.pause()
        #expect(connection.handedOver == [])
        try answering[0].answer()
        self.pause()
        #expect(connection.handedOver == ["/a abcdefghi"])
    }

    @Test func `an address with many connections waits for its own requests`() throws {
        let answering = try self.takeAllPlaces()
        let crowd = try (0..<50).map { _ in try self.connect(from: IPAddress("192.0.2.1")) }
        for connection in crowd { try connection.send(Self.get("/")) }
        let single = try self.connect(from: IPAddress("192.0.2.2"))
        try single.send(Self.get("/"))
        for connection in answering.prefix(2) {
            try connection.answer()
            self.pause()
        }
        #expect(single.handedOver == ["/"])
        #expect(crowd.count { !$0.handedOver.isEmpty } == 1)
    }

    @Test func `a connection waits for as many turns as its request has caused work`() throws {
        let flows = FairQueue(wake: {}, isLoopIdle: { false })
        let turns = HTTPTurns(eventLoop: self.loop, flows: flows)
        let publisher = try PacedConnection(turns: turns, loop: self.loop)
        let other = try PacedConnection(turns: turns, loop: self.loop)
        try publisher.send(Self.get("/1") + Self.get("/2"))
        try other.send(Self.get("/1"))
        publisher.work.add(30_000)
        try publisher.answer()
        for number in 2..<100 {
            try other.answer()
            try other.send(Self.get("/\(number)"))
            flows.serve()
            #expect(other.handedOver.count == number)
        }
        #expect(publisher.handedOver == ["/1"])
        for _ in 0..<100 { flows.serve() }
        #expect(publisher.handedOver == ["/1", "/2"])
    }

    @Test func `connections of one address share their turns, those of a trusted proxy do not`() throws {
        let address = IPAddress("192.0.2.1")
        func groups(isProxy: Bool) throws -> Int {
            let connections = try (0..<3).map { _ in try self.connect(from: address, isProxy: isProxy) }
            return Set(connections.map(\.pacer.group)).count
        }
        #expect(try groups(isProxy: false) == 1)
        #expect(try groups(isProxy: true) == 3)
    }
}
