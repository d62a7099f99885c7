/// The well-formed byte sequences of UTF-8 (Unicode, table 3-7): none overlong, no surrogates, nothing over U+10FFFF.
enum UTF8Sequence {
    /// Where the sequence that starts with the non-ASCII byte at `start` ends; `nil` when it is none.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xbf
        switch bytes[start] {
        case 0xc2...0xdf: length = 2
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        case 0xf1...0xf3: length = 4
        default: return nil
        }
        guard bytes.count - start >= length, second.contains(bytes[start + 1]) else { return nil }
        if length > 2, bytes[start + 2] & 0xc0 != 0x80 { return nil }
        if length > 3, bytes[start + 3] & 0xc0 != 0x80 { return nil }
        return start + length
    }

    /// Whether the last bytes are the start of a sequence whose other bytes have yet to come.
    static func isCutOff(atEndOf bytes: UnsafeRawBufferPointer) -> Bool {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xc0 == 0x80 { continue }
            return switch byte {
            case 0xc2...0xdf: length < 2
            case 0xe0...0xef: length < 3
            case 0xf0...0xf4: length < 4
            default: false
            }
        }
        return false
    }
}
