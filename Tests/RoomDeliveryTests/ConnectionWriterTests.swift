import NIOCore
import NIOEmbedded
import RoomTestKit
import Testing

@testable import RoomDelivery

/// The way out of a connection: partial writes end at a frame's end, replies go between frames.
struct ConnectionWriterTests {
    private static let frames = (0..<5).map { "frame \($0) \(String(repeating: "x", count: 10 * $0))\n" }

    private static func frameEnd(_ index: Int) -> Int {
        var end = 0
        for frame in self.frames {
            end += frame.utf8.count
            if end > index { return end }
        }
        return end
    }

    /// A socket that takes so many bytes, and keeps what the pipeline gets until the end.
    private final class Socket: DirectWriter {
        var room: Int
        var isBroken = false
        var taken = ""

        init(room: Int) {
            self.room = room
        }

        func write(_ bytes: UnsafeRawBufferPointer) -> Int {
            if self.isBroken { return -32 }
            let count = min(self.room, bytes.count)
            self.room -= count
            self.taken += String(decoding: bytes.prefix(count), as: UTF8.self)
            return count
        }
    }

    /// Holds what is written until `release`.
    private final class Holder: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var held: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            self.held.append((self.unwrapOutboundIn(data), promise))
        }

        var text: String { self.held.map { String(buffer: $0.bytes) }.joined() }

        func release() {
            let held = self.held
            self.held = []
            for write in held { write.promise?.succeed(()) }
        }
    }

    @Test func `the rest of a frame does not keep a large buffer`() throws {
        try Self.with(room: 3) { writer, _, holder in
            let buffer = ByteBuffer(string: String(repeating: Self.frames.joined(), count: 1_000))
            _ = writer.write(buffer, from: 0, to: buffer.writerIndex, frameEnd: Self.frameEnd)
            #expect(holder.text == String(Self.frames[0].dropFirst(3)))
            #expect(holder.held.allSatisfy { $0.bytes.storageCapacity < 1_024 })
        }
    }

    private static func with(
        room: Int,
        _ work: (ConnectionWriter, Socket, Holder) throws -> Void
    ) throws {
        let (channel, socket, holder) = (EmbeddedChannel(), Socket(room: room), Holder())
        try channel.pipeline.syncOperations.addHandler(holder)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try work(ConnectionWriter(channel: channel, direct: socket), socket, holder)
        holder.release()
        _ = try? channel.finish()
    }

    @Test(arguments: 0...120)
    func `what the kernel does not take of a frame goes through the pipeline, and no more`(room: Int) throws {
        let whole = Self.frames.joined()
        try Self.with(room: room) { writer, socket, holder in
            let bytes = ByteBuffer(string: whole)
            let end = writer.write(bytes, from: 0, to: bytes.writerIndex, frameEnd: Self.frameEnd)
            #expect(socket.taken + holder.text == whole.prefix(end))
            #expect(end == (room >= whole.utf8.count ? whole.utf8.count : Self.frameEnd(room)))
            #expect(writer.isBlocked == (room < whole.utf8.count))
        }
    }

    @Test func `a reply goes right behind the frame that was cut`() throws {
        try Self.with(room: 3) { writer, socket, holder in
            var drained = 0
            writer.onDrained = { drained += 1 }
            let bytes = ByteBuffer(string: Self.frames.joined())
            let end = writer.write(bytes, from: 0, to: bytes.writerIndex, frameEnd: Self.frameEnd)
            writer.reply { $0.writeString("reply\n") }
            #expect(!writer.flush())
            let cut = holder.text
            socket.room = 1_000
            holder.release()
            #expect(drained == 1)
            #expect(writer.flush())
            _ = writer.write(bytes, from: end, to: bytes.writerIndex, frameEnd: Self.frameEnd)
            #expect(socket.taken.prefix(3) + cut == Self.frames[0])
            #expect(socket.taken.dropFirst(3) == "reply\n" + Self.frames.dropFirst().joined())
        }
    }

    @Test func `replies that are written in pieces are cut at line ends`() throws {
        try Self.with(room: 10) { writer, socket, holder in
            writer.reply { $0.writeString("one\nsecond line\nthird\n") }
            #expect(!writer.flush())
            #expect(writer.waitingReplies == "third\n".utf8.count)
            #expect(socket.taken + holder.text == "one\nsecond line\n")
        }
    }

    @Test func `a broken socket closes the channel, and nothing is written any more`() throws {
        try Self.with(room: 10) { writer, socket, holder in
            socket.isBroken = true
            writer.reply { $0.writeString("one\n") }
            #expect(!writer.flush())
            #expect(!writer.isOpen)
            writer.reply { $0.writeString("two\n") }
            #expect(writer.waitingReplies == 0)
        }
    }
}
