/// The four bytes that a client's payload is combined with by XOR, so that it cannot forge bytes on the wire.
package struct WebSocketMask: Equatable, Sendable {
    /// The first byte is the lowest.
    private(set) var key: UInt32

    package init(key: UInt32) {
        self.key = key
    }

    init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        self.key = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
    }

    /// The mask of what follows so many bytes.
    func advanced(by count: Int) -> WebSocketMask {
        let shift = UInt32(8 * (count & 3))
        return WebSocketMask(key: self.key >> shift | self.key << ((32 - shift) & 31))
    }

    /// Writes `source`, masked or unmasked, to `target`, which has room for it and may be the same bytes.
    func apply(to source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        let word = UInt64(self.key) << 32 | UInt64(self.key)
        var index = 0
        while index &+ 8 <= source.count {
            let bytes = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            target.storeBytes(of: (bytes ^ word).littleEndian, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < source.count {
            target[index] = source[index] ^ UInt8(truncatingIfNeeded: self.key >> UInt32(8 * (index & 3)))
            index &+= 1
        }
    }
}
