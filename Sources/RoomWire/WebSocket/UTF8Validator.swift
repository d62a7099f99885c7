/// Checks that text is UTF-8 (Unicode, table 3-7) while it comes in pieces, which may end inside a character.
struct UTF8Validator: Equatable {
    /// How many bytes the character that has begun still needs.
    private var missing = 0
    /// The values that its next byte may have.
    private var next: ClosedRange<UInt8> = Self.continuation

    /// Whether the text may end here.
    var isComplete: Bool { self.missing == 0 }

    /// Returns whether the text can still be UTF-8. After `false` it is no use to go on.
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if self.missing == 0 {
                index = Self.endOfASCII(in: bytes, from: index)
                guard index < bytes.count else { return true }
            }
            guard self.accepts(bytes[index]) else { return false }
            index &+= 1
        }
        return true
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        guard self.missing == 0 else {
            guard self.next ~= byte else { return false }
            self.missing &-= 1
            self.next = Self.continuation
            return true
        }
        switch byte {
        case 0x00...0x7f: return true
        case 0xc2...0xdf: self.missing = 1
        case 0xe0...0xef: self.missing = 2
        case 0xf0...0xf4: self.missing = 3
        default: return false
        }
        // neither overlong, nor a surrogate, nor above U+10FFFF
        switch byte {
        case 0xe0: self.next = 0xa0...0xbf
        case 0xed: self.next = 0x80...0x9f
        case 0xf0: self.next = 0x90...0xbf
        case 0xf4: self.next = 0x80...0x8f
        default: self.next = Self.continuation
        }
        return true
    }

    private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index &+= 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index &+= 1 }
        return index
    }

    private static let continuation: ClosedRange<UInt8> = 0x80...0xbf
}
