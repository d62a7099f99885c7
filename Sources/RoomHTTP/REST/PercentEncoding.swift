/// Percent-encoded text of a path or query (RFC 3986 §2.1).
enum PercentEncoding {
    enum Fault: Error {
        /// A `%` without two hexadecimal digits.
        case malformed
        case invalidUTF8
    }

    /// - Parameter plusIsSpace: as in a query, which browsers' forms made so.
    static func decode(_ text: Substring, plusIsSpace: Bool = false) throws(Fault) -> String {
        var text = text
        let isPlain = text.utf8.allSatisfy {
            $0 < 0x80 && $0 != UInt8(ascii: "%") && (!plusIsSpace || $0 != UInt8(ascii: "+"))
        }
        if isPlain { return String(text) }
        var bytes: [UInt8] = []
        let isWellFormed = text.withUTF8 { Self.append($0, to: &bytes, plusIsSpace: plusIsSpace) }
        guard isWellFormed else { throw .malformed }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
        return decoded
    }

    /// - Returns: false where a `%` is none.
    private static func append(
        _ text: UnsafeBufferPointer<UInt8>,
        to bytes: inout [UInt8],
        plusIsSpace: Bool
    ) -> Bool {
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, let high = self.digit(text[index + 1]),
                    let low = self.digit(text[index + 2])
                else { return false }
                bytes.append(high << 4 | low)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            case let byte: bytes.append(byte)
            }
            index += 1
        }
        return true
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
