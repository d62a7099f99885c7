/// The well-formed byte sequences of UTF-8 (Unicode, table 3-7): none overlong, no surrogates, nothing over U+10FFFF.
package enum UTF8Sequence {
    /// Where the sequence that starts with the non-ASCII byte at `start` ends; `nil` when it is none.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let left = bytes.count - start
        guard left >= 2 else { return nil }
        let second = bytes[start + 1]
        switch bytes[start] {
        case 0xc2...0xdf: return Self.isContinuation(second) ? start + 2 : nil
        case 0xe0: guard 0xa0...0xbf ~= second else { return nil }
        case 0xed: guard 0x80...0x9f ~= second else { return nil }
        case 0xe1...0xef: guard Self.isContinuation(second) else { return nil }
        case 0xf0: guard 0x90...0xbf ~= second else { return nil }
        case 0xf4: guard 0x80...0x8f ~= second else { return nil }
        case 0xf1...0xf3: guard Self.isContinuation(second) else { return nil }
        default: return nil
        }
        guard left >= 3, Self.isContinuation(bytes[start + 2]) else { return nil }
        guard bytes[start] >= 0xf0 else { return start + 3 }
        return left >= 4 && Self.isContinuation(bytes[start + 3]) ? start + 4 : nil
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

    /// Whether the last bytes are the start of a sequence whose other bytes have yet to come.
    package static func isCutOff(atEndOf bytes: UnsafeRawBufferPointer) -> Bool {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if Self.isContinuation(byte) { continue }
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
