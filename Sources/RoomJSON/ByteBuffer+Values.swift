package import NIOCore

extension ByteBuffer {
    /// Each CR and LF becomes a space. In a JSON value they stand between tokens only (protocol §3, bytes).
    package func withoutLineBreaks() -> ByteBuffer {
        guard self.readableBytesView.contains(where: Self.isLineBreak) else { return self }
        var copy = self.compactCopy()
        copy.withUnsafeMutableReadableBytes { bytes in
            for index in bytes.indices where Self.isLineBreak(bytes[index]) {
                bytes[index] = UInt8(ascii: " ")
            }
        }
        return copy
    }

    /// The same bytes in memory of their own size, for what outlives the read buffer that it is a slice of.
    package func compactCopy() -> ByteBuffer {
        var copy = ByteBuffer()
        copy.writeImmutableBuffer(self)
        return copy
    }

    /// The bytes at `place`, which counts from the reader index, in the same memory.
    package func slice(at place: Range<Int>) -> ByteBuffer? {
        self.getSlice(at: self.readerIndex + place.lowerBound, length: place.count)
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
