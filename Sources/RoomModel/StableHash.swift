package import NIOCore

/// FNV-1a, 64 bit: a hash that is the same in every process, unlike `Hasher`.
package enum StableHash {
    package static let seed: UInt64 = 0xcbf2_9ce4_8422_2325

    package static func of(_ text: String, from seed: UInt64 = seed) -> UInt64 {
        var text = text
        return text.withUTF8 { self.of($0, from: seed) }
    }

    package static func of(_ buffer: ByteBuffer) -> UInt64 {
        buffer.withUnsafeReadableBytes { self.of($0, from: Self.seed) }
    }

    private static func of(_ bytes: some Sequence<UInt8>, from seed: UInt64) -> UInt64 {
        var hash = seed
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return hash
    }
}
