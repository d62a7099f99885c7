import NIOCore
import RoomModel

/// Writes into memory that is known to suffice: the tight end of the hot path.
struct WriteCursor {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func put(_ byte: UInt8) {
        self.bytes[self.count] = byte
        self.count += 1
    }

    mutating func put(_ text: StaticString) {
        self.put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func put(_ source: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: self.bytes[self.count...]).copyMemory(from: source)
        self.count += source.count
    }

    mutating func put(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { self.put($0) }
    }

    mutating func put(_ id: UniqueID) {
        id.writeText(into: UnsafeMutableRawBufferPointer(rebasing: self.bytes[self.count...]))
        self.count += UniqueID.textLength
    }

    mutating func put(decimal value: UInt64) {
        var digits = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value
        for offset in stride(from: digits - 1, through: 0, by: -1) {
            self.bytes[self.count + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        self.count += digits
    }
}
