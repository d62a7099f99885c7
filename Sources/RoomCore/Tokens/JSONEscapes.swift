/// The escapes of JSON strings (RFC 8259 §7).
enum JSONEscapes {
    /// Decodes what stands between the quotes; `nil` where it has half of a surrogate pair.
    static func decode(_ content: ArraySlice<UInt8>) throws(ClaimReader.Mismatch) -> String? {
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var rest = content
        var isText = true
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                continue
            }
            if let scalar = try Self.scalar(&rest) {
                units.append(contentsOf: Array(String(scalar).utf8))
            } else {
                isText = false
            }
        }
        return isText ? String(decoding: units, as: UTF8.self) : nil
    }

    /// Takes the escape off the front, its backslash taken already; `nil` for half of a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) throws(ClaimReader.Mismatch) -> Unicode.Scalar? {
        switch rest.popFirst() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw ClaimReader.Mismatch()
        }
        let first = try Self.unit(&rest)
        guard UTF16.isLeadSurrogate(first), rest.starts(with: "\\u".utf8) else { return Unicode.Scalar(first) }
        var behind = rest.dropFirst(2)
        let second = try Self.unit(&behind)
        guard UTF16.isTrailSurrogate(second) else { return nil }
        rest = behind
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) throws(ClaimReader.Mismatch) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst(), let value = Character(Unicode.Scalar(digit)).hexDigitValue else {
                throw ClaimReader.Mismatch()
            }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}
