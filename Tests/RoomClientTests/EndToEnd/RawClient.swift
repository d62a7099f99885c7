import NIOCore
import NIOPosix
import RoomTestKit

/// A client that is not `RoomClient`: JSON lines over a socket, and what the broker has said is looked at line by line.
final class RawClient: Sendable {
    private let channel: any Channel
    private let lines: NIOLoopBound<RawLines>

    private init(channel: any Channel, lines: NIOLoopBound<RawLines>) {
        self.channel = channel
        self.lines = lines
    }

    /// Runs `body` with a client that has shaken hands, and closes it, however `body` ends.
    ///
    /// - Parameters:
    ///   - token: what it shows in its handshake.
    ///   - opening: a frame that goes out with the handshake, in one write.
    static func with<Value>(
        port: Int,
        token: String? = nil,
        opening: String? = nil,
        _ body: (RawClient) async throws -> Value
    ) async throws -> Value {
        let client = try await Self.connect(port: port)
        do {
            let shown = token.map { #","token":"\#($0)""# } ?? ""
            _ = try await client.ask(#""type":"handshake","channel":"default"\#(shown)"#, and: opening)
            let value = try await body(client)
            try await client.close()
            return value
        } catch {
            try? await client.close()  // what went wrong before says more
            throw error
        }
    }

    private static func connect(port: Int) async throws -> RawClient {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let lines = try await loop.submit { NIOLoopBound(RawLines(loop: loop), eventLoop: loop) }.get()
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(lines.value) }
            }
            .connect(host: "127.0.0.1", port: port)
            .get()
        return RawClient(channel: channel, lines: lines)
    }

    private func close() async throws {
        try await self.channel.close().flatMapError { _ in self.channel.eventLoop.makeSucceededVoidFuture() }.get()
    }

    /// Asks for something and waits for the reply to it, which has to be no error.
    ///
    /// - Parameters:
    ///   - fields: of the frame, apart from its `callback`.
    ///   - earlier: frames that are sent before it, in the same write.
    ///   - later: a frame that is sent after it, in the same write.
    func ask(_ fields: String, after earlier: [String] = [], and later: String? = nil) async throws -> ReceivedFrame {
        let reply = self.channel.eventLoop.makePromise(of: String.self)
        self.channel.eventLoop.execute {
            let callback = self.lines.value.expect(reply)
            self.send(earlier + [#"{\#(fields),"callback":\#(callback)}"#] + (later.map { [$0] } ?? []))
        }
        return try Self.frame(try await Patience.wait(for: reply, "the answer to {\(fields)}"))
    }

    /// Says something to which no reply comes.
    func say(_ frame: String) {
        self.channel.eventLoop.execute { self.send([frame]) }
    }

    private func send(_ frames: [String]) {
        // A flood is one frame over and over.
        for frame in Set(frames) { FrameDump.shared?.write(.client, frame) }
        self.channel.writeAndFlush(ByteBuffer(string: frames.map { $0 + "\n" }.joined()), promise: nil)
    }

    /// The next frame that is not a reply.
    func next() async throws -> ReceivedFrame {
        let frame = self.channel.eventLoop.makePromise(of: String.self)
        self.channel.eventLoop.execute { self.lines.value.expectFrame(frame) }
        return try Self.frame(try await Patience.wait(for: frame, "another frame"))
    }

    private static func frame(_ line: String) throws -> ReceivedFrame {
        guard let frame = ReceivedFrame(line), frame.code == nil else { throw Refused(description: line) }
        return frame
    }

    /// The connection ended while something was expected on it.
    struct Ended: Error {}

    /// The broker's answer is an error.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}
