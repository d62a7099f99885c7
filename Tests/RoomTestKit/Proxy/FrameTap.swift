import NIOCore
import RoomModel
import RoomWire

/// Finds the frames in the bytes that one side sends, for the dump that is held to the schemas.
struct FrameTap {
    private let dump: FrameDump
    private let direction: FrameDump.Direction
    private var unfinished = ByteBuffer()
    /// The framer of a connection that has become a WebSocket.
    private var framer: WebSocketFramer?
    private var frequent = 0

    /// `nil` where no dump is asked for.
    init?(_ direction: FrameDump.Direction) {
        guard let dump = FrameDump.shared else { return nil }
        self.dump = dump
        self.direction = direction
    }

    mutating func saw(_ bytes: ByteBuffer) {
        guard self.framer == nil else { return self.sawMessages(bytes) }
        self.unfinished.writeImmutableBuffer(bytes)
        // what does not begin with a frame is the head of a request for a WebSocket, or of its answer
        guard self.unfinished.readableBytesView.first == UInt8(ascii: "{") else { return self.sawHead() }
        while let end = self.unfinished.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.unfinished.readString(length: end - self.unfinished.readerIndex) ?? ""
            self.unfinished.moveReaderIndex(forwardBy: 1)
            self.saw(line)
        }
        self.unfinished.discardReadBytes()
    }

    private mutating func sawHead() {
        guard let end = self.unfinished.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        self.unfinished.moveReaderIndex(to: end.upperBound)
        let messages = self.unfinished
        self.unfinished = ByteBuffer()
        var limits = FrameLimits()
        limits.line = .max
        self.framer = WebSocketFramer(role: self.direction == .client ? .server : .client, limits: limits)
        self.sawMessages(messages)
    }

    private mutating func sawMessages(_ bytes: ByteBuffer) {
        self.framer?.append(bytes)
        while let event = self.framer?.next() {
            if case .message(let message, isText: _) = event { self.saw(String(buffer: message)) }
        }
    }

    private mutating func saw(_ line: String) {
        // A room's delivery is one encoding for all of its members, and a slow reader fetches the same again: in these
        // tests hundreds of thousands of frames. A sample of them is enough, and all that fits into the time of a test
        // run. Everything else is dumped.
        let start = line.prefix(60)
        if start.contains(#""type":"publish""#) || start.contains(#""type":"history""#)
            || start.contains(#""messages":"#)
        {
            self.frequent += 1
            guard self.frequent % 50 == 1 else { return }
        }
        self.dump.write(self.direction, line)
    }
}
