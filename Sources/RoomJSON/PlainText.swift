/// The bulk of a frame is plain text within strings: found eight bytes at a time, by arithmetic on a word of them.
extension UnsafeRawBufferPointer {
    /// Where the ASCII text ends that needs no second look in a JSON string: at a quote, a backslash, a control character,
    /// a byte that is no ASCII, or the end of the bytes.
    func plainTextEnd(from start: Int) -> Int {
        guard let base = self.baseAddress else { return 0 }
        let count = self.count
        var position = start
        while position &+ 8 <= count {
            let word = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let stops = Self.stops(in: UInt64(littleEndian: word))
            if stops != 0 { return position &+ (stops.trailingZeroBitCount &>> 3) }
            position &+= 8
        }
        while position < count {
            let byte = base.load(fromByteOffset: position, as: UInt8.self)
            if Self.stops(in: UInt64(byte) | 0x2020_2020_2020_2000) != 0 { return position }
            position &+= 1
        }
        return position
    }

    /// The high bit of each byte that ends plain text. Only the lowest one counts: a borrow of the subtractions can set
    /// bits above it, never below.
    @inline(__always)
    private static func stops(in word: UInt64) -> UInt64 {
        // With its second bit turned over a quote is the one byte from a space on that comes below 0x21.
        let quoteOrControl = (word ^ 0x0202_0202_0202_0202) &- 0x2121_2121_2121_2121
        let backslash = (word ^ 0x5c5c_5c5c_5c5c_5c5c) &- 0x0101_0101_0101_0101
        return (word | quoteOrControl | backslash) & 0x8080_8080_8080_8080
    }
}
