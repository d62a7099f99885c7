package import NIOCore
import RoomJSON
package import RoomModel

/// Cuts the bytes of one connection into lines, however the network split them.
///
/// Lines that lie whole in a read buffer are slices of it. Only the unfinished rest of a read is copied, to its own size,
/// so that it does not hold the read buffer; once ``next()`` has returned `nil` between two lines, the framer holds no memory.
package struct LineFramer {
    package enum Line: Equatable, Sendable {
        /// Without the LF and without one CR before it. May be empty.
        case line(ByteBuffer)
        /// A line has passed the limit. Told once for it, at once; what follows up to its LF is skipped, not stored.
        case tooLong
        /// A line has passed the limit beyond which nobody waits for its LF. The framer gives out nothing after this.
        case endless
    }

    private enum State {
        case collecting
        /// In a line that is too long, of which this many bytes are gone.
        case skipping(Int)
        case ended
    }

    package let lineLimit: Int
    package let endlessLimit: Int
    private var state = State.collecting
    /// The start of a line whose LF has not come; copied out of the read buffers that brought it.
    private var unfinished = ByteBuffer()
    /// The bytes that were read and not examined yet.
    private var unread = ByteBuffer()

    package init(limits: FrameLimits) {
        // An index of a ByteBuffer has 32 bits: `unlimited` ends below that.
        let endless = min(max(limits.endlessLine, 0), 1 << 30)
        self.endlessLimit = endless
        self.lineLimit = min(max(limits.line, 0), endless)
    }

    /// Takes what was read from the connection. Call ``next()`` then until it returns `nil`, or go on with it later.
    package mutating func append(_ bytes: ByteBuffer) {
        if case .ended = self.state { return }
        if self.unread.readableBytes == 0 {
            self.unread = bytes
        } else {
            self.unread.writeImmutableBuffer(bytes)
        }
    }

    /// The next line; `nil` when more bytes are needed for it.
    package mutating func next() -> Line? {
        switch self.state {
        case .collecting: self.nextLine()
        case .skipping(let count): self.skip(after: count)
        case .ended: nil
        }
    }

    /// Whether there are bytes that ``next()`` has not looked at.
    package var hasUnread: Bool { self.unread.readableBytes > 0 }

    /// The bytes of a line whose end has not come.
    package var unfinishedBytes: Int { self.unfinished.readableBytes }

    /// Whether the unfinished line stops within the bytes of one character.
    package var endsInsideCharacter: Bool {
        self.unfinished.withUnsafeReadableBytes(UTF8Sequence.isCutOff(atEndOf:))
    }

    /// Ends the unfinished line without an LF: at the end of the connection, or after a pause of a plain-text client.
    /// Call it once ``next()`` has returned `nil`.
    package mutating func takeUnfinished() -> ByteBuffer? {
        guard self.unread.readableBytes == 0, self.unfinished.readableBytes > 0 else { return nil }
        let line = Self.trimmed(self.unfinished)
        self.unfinished = ByteBuffer()
        return line
    }

    private mutating func nextLine() -> Line? {
        guard self.unread.readableBytes > 0 else {
            self.unread = ByteBuffer()
            return nil
        }
        guard let end = self.unread.withUnsafeReadableBytes(LineEnd.init) else { return self.keepRest() }
        guard self.unfinished.readableBytes == 0 else { return self.finishLine(with: end.offset) }
        if end.length > self.lineLimit { return self.refuse() }
        let line = self.unread.readSlice(length: end.length)
        self.unread.moveReaderIndex(forwardBy: end.offset + 1 - end.length)
        return line.map { .line($0) }
    }

    /// Adds so many bytes and an LF to the line that began in an earlier read.
    private mutating func finishLine(with count: Int) -> Line? {
        if self.isTooLong(with: count) { return self.refuse() }
        guard var rest = self.unread.readSlice(length: count) else { return nil }
        self.unread.moveReaderIndex(forwardBy: 1)
        self.unfinished.writeBuffer(&rest)
        let line = Self.trimmed(self.unfinished)
        self.unfinished = ByteBuffer()
        return .line(line)
    }

    private mutating func keepRest() -> Line? {
        if self.isTooLong(with: self.unread.readableBytes) { return self.refuse() }
        self.unfinished.writeBuffer(&self.unread)
        self.unread = ByteBuffer()
        return nil
    }

    /// Whether the line, with so many more bytes of `unread`, is over the limit even if the last byte is the CR of its end.
    private func isTooLong(with count: Int) -> Bool {
        let length = self.unfinished.readableBytes + count
        guard length > self.lineLimit else { return false }
        guard length == self.lineLimit + 1 else { return true }
        let last =
            count > 0
            ? self.unread.getInteger(at: self.unread.readerIndex + count - 1, as: UInt8.self)
            : self.unfinished.getInteger(at: self.unfinished.writerIndex - 1, as: UInt8.self)
        return last != UInt8(ascii: "\r")
    }

    private mutating func refuse() -> Line {
        self.state = .skipping(self.unfinished.readableBytes)
        self.unfinished = ByteBuffer()
        return .tooLong
    }

    private mutating func skip(after count: Int) -> Line? {
        let end = self.unread.withUnsafeReadableBytes { $0.firstOffset(of: UInt8(ascii: "\n")) }
        let length = count + (end ?? self.unread.readableBytes)
        guard length <= self.endlessLimit else {
            self.state = .ended
            self.unread = ByteBuffer()
            return .endless
        }
        guard let end else {
            self.state = .skipping(length)
            self.unread = ByteBuffer()
            return nil
        }
        self.unread.moveReaderIndex(forwardBy: end + 1)
        self.state = .collecting
        return self.nextLine()
    }

    private static func trimmed(_ line: ByteBuffer) -> ByteBuffer {
        guard line.readableBytes > 0, line.getInteger(at: line.writerIndex - 1, as: UInt8.self) == UInt8(ascii: "\r")
        else { return line }
        var line = line
        line.moveWriterIndex(to: line.writerIndex - 1)
        return line
    }
}

/// The end of the first line of some bytes.
private struct LineEnd {
    /// That of the LF.
    let offset: Int
    /// Without the LF and the CR before it.
    let length: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let offset = bytes.firstOffset(of: UInt8(ascii: "\n")) else { return nil }
        self.offset = offset
        self.length = offset > 0 && bytes[offset - 1] == UInt8(ascii: "\r") ? offset - 1 : offset
    }
}
