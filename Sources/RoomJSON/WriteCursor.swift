package import NIOCore
package import RoomModel

/// Writes into memory that is known to suffice: the tight end of the hot path.
package struct WriteCursor {
    private let start: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    /// `nil` for memory that is none.
    package init?(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return nil }
        self.start = start
        self.end = start
    }

    /// How much has been written.
    package var count: Int { self.end - self.start }

    package mutating func put(_ byte: UInt8) {
        self.end.storeBytes(of: byte, as: UInt8.self)
        self.end += 1
    }

    package mutating func put(_ text: StaticString) {
        self.end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        self.end += text.utf8CodeUnitCount
    }

    package mutating func put(_ source: UnsafeRawBufferPointer) {
        guard let bytes = source.baseAddress else { return }
        self.end.copyMemory(from: bytes, byteCount: source.count)
        self.end += source.count
    }

    package mutating func put(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { self.put($0) }
    }

    package mutating func put(_ id: UniqueID) {
        id.writeText(into: UnsafeMutableRawBufferPointer(start: self.end, count: UniqueID.textLength))
        self.end += UniqueID.textLength
    }

    package mutating func put(decimal value: UInt64) {
        var digits = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value
        for offset in stride(from: digits - 1, through: 0, by: -1) {
            self.end.storeBytes(
                of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10),
                toByteOffset: offset,
                as: UInt8.self
            )
            rest /= 10
        }
        self.end += digits
    }

    package mutating func put(decimal value: Int64) {
        if value < 0 { self.put(UInt8(ascii: "-")) }
        self.put(decimal: value.magnitude)
    }
}
