import NIOCore

/// Finds the frames in the bytes that one side sends, for the dump that is held to the schemas.
struct FrameTap {
    private let dump: FrameDump
    private let direction: FrameDump.Direction
    private var unfinished = ByteBuffer()
    private var frequent = 0

    /// `nil` where no dump is asked for.
    init?(_ direction: FrameDump.Direction) {
        guard let dump = FrameDump.shared else { return nil }
        self.dump = dump
        self.direction = direction
    }

    mutating func saw(_ bytes: ByteBuffer) {
        self.unfinished.writeImmutableBuffer(bytes)
        while let end = self.unfinished.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.unfinished.readString(length: end - self.unfinished.readerIndex) ?? ""
            self.unfinished.moveReaderIndex(forwardBy: 1)
            self.saw(line)
        }
        self.unfinished.discardReadBytes()
    }

    private mutating func saw(_ line: String) {
        // What a room delivers is one encoding for all of its members, and what a slow reader fetches is the same again: in
        // these tests hundreds of thousands of frames. A sample of them is enough, and all that fits into the time of a test
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
