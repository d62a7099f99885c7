/// The bulk of a frame is plain text within strings: found eight bytes at a time, by arithmetic on a word of them.
extension UnsafeRawBufferPointer {
    /// Where the ASCII text ends that needs no second look in a JSON string: at a quote, a backslash, a control character,
    /// a byte that is no ASCII, or the end of the bytes.
    @inline(__always)
    func plainTextEnd(from start: Int) -> Int {
        var position = start
        while position &+ 8 <= self.count {
            let stops = Self.stops(in: self.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if stops != 0 { return position &+ (stops.trailingZeroBitCount &>> 3) }
            position &+= 8
        }
        while position < self.count {
            if Self.stops(in: UInt64(self[position]) | 0x2020_2020_2020_2000) != 0 { return position }
            position &+= 1
        }
        return position
    }

    /// The high bit of each byte that ends plain text. Only the lowest one counts: a borrow of the subtractions can set
    /// bits above it, never below.
    @inline(__always)
    private static func stops(in bytes: UInt64) -> UInt64 {
        let word = UInt64(littleEndian: bytes)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let belowSpace = word &- 0x2020_2020_2020_2020
        let quote = (word ^ 0x2222_2222_2222_2222) &- ones
        let backslash = (word ^ 0x5c5c_5c5c_5c5c_5c5c) &- ones
        return (word | belowSpace | quote | backslash) & 0x8080_8080_8080_8080
    }
}
