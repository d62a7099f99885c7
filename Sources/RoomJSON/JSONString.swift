/// Turns what stands between the quotes of a JSON string into text. The bytes are those that a ``JSONScanner`` has passed.
package enum JSONString {
    /// `nil` when an escape is half of a surrogate pair: such a string is no Unicode text.
    package static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard let backslash = bytes.firstOffset(of: UInt8(ascii: "\\")) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        text.append(contentsOf: bytes[..<backslash])
        var position = backslash
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "\\") {
                text.append(bytes[position])
                position += 1
            } else if let plain = Self.plainEscape(bytes[position + 1]) {
                text.append(plain)
                position += 2
            } else {
                guard let (scalar, end) = Self.scalar(in: bytes, at: position) else { return nil }
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                position = end
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of the value at `place`; `nil` also when that is not a string.
    package static func text(at place: Range<Int>, in bytes: UnsafeRawBufferPointer) -> String? {
        guard let content = Self.content(at: place, in: bytes) else { return nil }
        return Self.text(content)
    }

    /// The bytes between the quotes of the value at `place`; `nil` when that is not a string.
    package static func content(at place: Range<Int>, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes[place.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return bytes.slice((place.lowerBound + 1)..<(place.upperBound - 1))
    }

    static func hexValue(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte &- UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte &- UInt8(ascii: "a") &+ 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte &- UInt8(ascii: "A") &+ 10)
        default: nil
        }
    }

    private static func plainEscape(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "u"): nil
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// The character of the `\uXXXX`, or of the two of them, at `start`, and where they end.
    private static func scalar(in bytes: UnsafeRawBufferPointer, at start: Int) -> (Unicode.Scalar, Int)? {
        guard let first = Self.unit(in: bytes, at: start) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first).map { ($0, start + 6) } }
        guard let second = Self.unit(in: bytes, at: start + 6), UTF16.isTrailSurrogate(second) else { return nil }
        let value = 0x10000 + (UInt32(first & 0x3ff) << 10 | UInt32(second & 0x3ff))
        return Unicode.Scalar(value).map { ($0, start + 12) }
    }

    private static func unit(in bytes: UnsafeRawBufferPointer, at start: Int) -> UInt16? {
        guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[(start + 2)..<(start + 6)] {
            guard let digit = Self.hexValue(byte) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }
}

/// A key of an object: what stands between its quotes.
package struct JSONKey: Equatable {
    package let range: Range<Int>
    package let isEscaped: Bool

    func equals(_ name: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.isEscaped else { return bytes.slice(self.range).equals(name) }
        guard var text = JSONString.text(bytes.slice(self.range)) else { return false }
        return text.withUTF8 { UnsafeRawBufferPointer($0).equals(name) }
    }
}
