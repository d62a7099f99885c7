/// XXH64, the checksum of a stored batch. It is not cryptographic: it tells damage, not intent.
///
/// Chosen because it needs no special instructions and costs less than a hundredth of what it takes to store a batch
/// (docs/decisions/0036). https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
enum BatchChecksum {
    private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63,
        0x27d4_eb2f_1656_67c5
    )
    private static let stripe = 32

    static func xxh64(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var offset = 0
        var hash = seed &+ self.primes.4
        if bytes.count >= self.stripe {
            var (a, b) = (seed &+ self.primes.0 &+ self.primes.1, seed &+ self.primes.1)
            var (c, d) = (seed, seed &- self.primes.0)
            while offset + self.stripe <= bytes.count {
                a = self.round(a, self.word(bytes, offset))
                b = self.round(b, self.word(bytes, offset + 8))
                c = self.round(c, self.word(bytes, offset + 16))
                d = self.round(d, self.word(bytes, offset + 24))
                offset += self.stripe
            }
            hash = self.rotated(a, 1) &+ self.rotated(b, 7) &+ self.rotated(c, 12) &+ self.rotated(d, 18)
            for lane in [a, b, c, d] {
                hash = (hash ^ self.round(0, lane)) &* self.primes.0 &+ self.primes.3
            }
        }
        hash &+= UInt64(bytes.count)
        return self.finished(hash, bytes, from: offset)
    }

    private static func finished(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
        var (hash, offset) = (hash, start)
        while offset + 8 <= bytes.count {
            hash = self.rotated(hash ^ self.round(0, self.word(bytes, offset)), 27) &* self.primes.0 &+ self.primes.3
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let word = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            hash = self.rotated(hash ^ word &* self.primes.0, 23) &* self.primes.1 &+ self.primes.2
            offset += 4
        }
        while offset < bytes.count {
            hash = self.rotated(hash ^ UInt64(bytes[offset]) &* self.primes.4, 11) &* self.primes.0
            offset += 1
        }
        hash = (hash ^ hash >> 33) &* self.primes.1
        hash = (hash ^ hash >> 29) &* self.primes.2
        return hash ^ hash >> 32
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        self.rotated(lane &+ word &* self.primes.1, 31) &* self.primes.0
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
}
