package import NIOCore

/// Writes the parts that records consist of. Numbers are LEB128, text and bytes have their length before them, `nil` and `Bool`
/// are bits of a byte before what they are about.
package struct RecordWriter {
    package private(set) var bytes = ByteBuffer()

    package init() {}

    /// The bytes so far.
    package var count: Int { self.bytes.writerIndex }

    package mutating func removeAll(behind count: Int) {
        self.bytes.moveWriterIndex(to: count)
    }

    /// Appends bytes as they are, without their length.
    package mutating func append(_ bytes: ByteBuffer) {
        self.bytes.writeImmutableBuffer(bytes)
    }

    package mutating func write(byte: UInt8) {
        self.bytes.writeInteger(byte)
    }

    package mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            self.bytes.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.writeInteger(UInt8(rest))
    }

    /// A number of either sign, short where it is near 0 (zigzag).
    package mutating func write(signed number: Int64) {
        self.write(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// 0 or more.
    package mutating func write(count: Int) { self.write(UInt64(max(count, 0))) }

    /// `Int.max`: no limit, in one byte.
    package mutating func write(limit: Int) { self.write(limit == .max ? 0 : UInt64(max(limit, 0)) + 1) }

    package mutating func write(flags: Bool...) {
        self.write(byte: RecordFlags(flags).bits)
    }

    package mutating func write(text: String) {
        self.write(count: text.utf8.count)
        self.bytes.writeString(text)
    }

    package mutating func write(bytes: ByteBuffer) {
        self.write(count: bytes.readableBytes)
        self.bytes.writeImmutableBuffer(bytes)
    }

    /// All 64 bits.
    package mutating func write(bits: UInt64) {
        self.bytes.writeInteger(bits)
    }
}
