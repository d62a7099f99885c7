/// Compresses the files of the pages, once each (RFC 1951 and 1952). A system's zlib would be one more library to link,
/// for some hundred kilobytes in the life of the process.
enum Gzip {
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var output = BitWriter(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255])
        DeflateBlock(tokens: DeflateMatches.tokens(of: bytes)).write(to: &output)
        output.finish()
        output.appendWord(self.checksum(bytes))
        output.appendWord(UInt32(truncatingIfNeeded: bytes.count))
        return output.bytes
    }

    /// CRC-32.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = ~0
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
        }
        return ~sum
    }
}

/// Bits, the lowest of each byte first.
struct BitWriter {
    private(set) var bytes: [UInt8]
    private var pending: UInt64 = 0
    private var count = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func append(_ bits: Int, count: Int) {
        self.pending |= UInt64(bits) << UInt64(self.count)
        self.count += count
        while self.count >= 8 {
            self.bytes.append(UInt8(truncatingIfNeeded: self.pending))
            self.pending >>= 8
            self.count -= 8
        }
    }

    /// Fills the last byte.
    mutating func finish() {
        if self.count > 0 { self.append(0, count: 8 - self.count) }
    }

    mutating func appendWord(_ word: UInt32) {
        for shift in [0, 8, 16, 24] { self.append(Int(word >> UInt32(shift) & 0xFF), count: 8) }
    }
}
