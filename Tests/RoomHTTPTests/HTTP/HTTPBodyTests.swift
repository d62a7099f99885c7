import NIOCore
import NIOEmbedded
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

/// What bodies in many parts cost, counted in units of work and in copies.
struct HTTPBodyTests {
    private static let head = "POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let end = "0\r\n\r\n"

    private let flows: FairQueue
    private let connection: PacedConnection

    init() throws {
        let loop = EmbeddedEventLoop()
        self.flows = FairQueue(wake: {}, isLoopIdle: { true })
        self.connection = try PacedConnection(turns: HTTPTurns(eventLoop: loop, flows: self.flows), loop: loop)
    }

    private static func chunks(_ count: Int, of length: Int) -> String {
        let size = String(length, radix: 16)
        return String(repeating: "\(size)\r\n\(String(repeating: "x", count: length))\r\n", count: count)
    }

    private func answer() throws -> String {
        try self.connection.channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) } ?? ""
    }

    @Test func `a body in many chunks is copied a few times, however many they are`() throws {
        try self.connection.send(Self.head)
        var places: [UnsafeRawPointer?] = []
        for _ in 0..<5_000 {
            try self.connection.send(Self.chunks(1, of: HTTPBody.part + 1))
            self.flows.serve()
            let place = self.connection.requestGuard.body.bytes?.withUnsafeReadableBytes { $0.baseAddress }
            if place != places.last { places.append(place) }
        }
        // once for the first parts, and each time that the buffer doubles
        #expect(places.count <= 20, "\(places.count) buffers")
        try self.connection.send(Self.end)
        self.flows.serve()
        #expect(self.connection.handedOver.map(\.utf8.count) == ["/body ".utf8.count + 5_000 * (HTTPBody.part + 1)])
    }

    @Test func `each chunk is charged to its sender, and what has come is parsed in turns`() throws {
        let count = 5_000
        try self.connection.send(Self.head + Self.chunks(count, of: HTTPBody.part + 1) + Self.end)
        var (turns, spent) = (0, 0)
        while self.connection.handedOver.isEmpty, turns < 1_000 {
            let before = spent
            spent = self.connection.pacer.share.spent
            // what waits may cost a budget, and the last turn of it a share
            #expect(spent - before <= 500 + 250)
            self.flows.serve()
            turns += 1
        }
        #expect(self.connection.handedOver.count == 1)
        #expect(self.connection.pacer.share.spent >= count)
        #expect(turns >= count / 750)
    }

    @Test func `a body in chunks that are too small for so many ends early, with the reason`() throws {
        try self.connection.send(Self.head + Self.chunks(HTTPBody.parts + 1, of: 1))
        for _ in 0..<20 { self.flows.serve() }
        let answer = try self.answer()
        #expect(answer.contains(" 400 "))
        #expect(self.connection.channel.isActive, "the peer gets to read why")
        #expect(try self.answer().contains("the chunks of the body are too small"))
        let spent = self.connection.pacer.share.spent
        try self.connection.send(Self.chunks(100_000, of: 1))
        for _ in 0..<20 { self.flows.serve() }
        #expect(self.connection.pacer.share.spent - spent <= 50, "the rest is thrown away")
        #expect(self.connection.handedOver == [])
    }

    @Test func `a short body may come in chunks of one byte`() throws {
        try self.connection.send(Self.head + Self.chunks(HTTPBody.parts, of: 1) + Self.end)
        for _ in 0..<20 { self.flows.serve() }
        #expect(self.connection.handedOver.map(\.utf8.count) == ["/body ".utf8.count + HTTPBody.parts])
    }

    @Test(arguments: ["", "0", "0\r", "0\r\n"])
    func `what a peer has left that went in the middle of its body is not worked off`(rest: String) throws {
        try self.connection.send(Self.head + Self.chunks(10_000, of: HTTPBody.part) + rest)
        let spent = self.connection.pacer.share.spent
        self.connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        for _ in 0..<5 { self.flows.serve() }
        #expect(self.connection.pacer.share.spent - spent <= 20)
        #expect(!self.connection.channel.isActive)
        #expect(self.connection.handedOver == [])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 10])
    func `a peer that only closes its half is answered, however the end of its body is cut`(cut: Int) throws {
        let request = Self.head + Self.chunks(1_000, of: HTTPBody.part + 1) + Self.end
        try self.connection.send(String(request.dropLast(cut)))
        let end = ByteBuffer(string: String(request.suffix(cut)))
        if cut == 10 { for _ in 0..<10 { self.flows.serve() } }
        try self.connection.channel.writeInbound(end)
        self.connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        for _ in 0..<10 { self.flows.serve() }
        #expect(self.connection.handedOver.count == 1)
    }

    @Test(arguments: 1...7)
    func `the end of a body is known, wherever the parser has stopped`(cut: Int) throws {
        let request = Self.head + Self.chunks(1, of: 5) + Self.end
        try self.connection.send(String(request.dropLast(cut)))
        let requests = self.connection.requestGuard
        #expect(!requests.isCutOff(before: ByteBuffer(string: String(request.suffix(cut)))))
        #expect(requests.isCutOff(before: ByteBuffer(string: "5\r\nxxxxx\r\n")))
    }
}
