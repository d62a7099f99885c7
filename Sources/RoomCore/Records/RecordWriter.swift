import NIOCore
import RoomModel

/// Writes the parts that records consist of. Numbers are LEB128, text and bytes have their length before them, `nil` and `Bool`
/// are bits of a byte before what they are about.
struct RecordWriter {
    private(set) var bytes = ByteBuffer()

    /// The bytes so far.
    var count: Int { self.bytes.writerIndex }

    mutating func removeAll(behind count: Int) {
        self.bytes.moveWriterIndex(to: count)
    }

    /// Appends bytes as they are, without their length.
    mutating func append(_ bytes: ByteBuffer) {
        self.bytes.writeImmutableBuffer(bytes)
    }

    mutating func write(byte: UInt8) {
        self.bytes.writeInteger(byte)
    }

    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            self.bytes.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.writeInteger(UInt8(rest))
    }

    mutating func write(_ number: UInt32) { self.write(UInt64(number)) }

    /// Of either sign, small ones short (zigzag).
    mutating func write(signed number: Int64) {
        self.write(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// 0 or more.
    mutating func write(count: Int) { self.write(UInt64(max(count, 0))) }

    /// `Int.max`: no limit, in one byte.
    mutating func write(limit: Int) { self.write(limit == .max ? 0 : UInt64(max(limit, 0)) + 1) }

    mutating func write(flags: Bool...) {
        var bits: UInt8 = 0
        for (index, flag) in flags.enumerated() where flag { bits |= 1 << UInt8(index) }
        self.write(byte: bits)
    }

    mutating func write(text: String) {
        self.write(count: text.utf8.count)
        self.bytes.writeString(text)
    }

    mutating func write(bytes: ByteBuffer) {
        self.write(count: bytes.readableBytes)
        self.bytes.writeImmutableBuffer(bytes)
    }

    /// All 64 bits.
    mutating func write(bits: UInt64) {
        self.bytes.writeInteger(bits)
    }

    mutating func write(_ id: UniqueID) {
        self.write(bits: id.high)
        self.write(bits: id.low)
    }
}
