package import NIOCore
package import RoomModel

extension ByteBuffer {
    /// Writes a JSON string: quoted, with the escapes that RFC 8259 §7 asks for.
    package mutating func writeJSONString(_ text: String) {
        self.writeInteger(UInt8(ascii: "\""))
        if text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            self.writeEscaped(text)
        } else {
            self.writeString(text)
        }
        self.writeInteger(UInt8(ascii: "\""))
    }

    private mutating func writeEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.writeBytes([UInt8(ascii: "\\"), byte])
            case UInt8(ascii: "\n"): self.writeStaticString("\\n")
            case UInt8(ascii: "\r"): self.writeStaticString("\\r")
            case UInt8(ascii: "\t"): self.writeStaticString("\\t")
            case 0..<0x20:
                self.writeStaticString(byte < 0x10 ? "\\u000" : "\\u00")
                self.writeString(String(byte, radix: 16))
            default: self.writeInteger(byte)
            }
        }
    }

    /// Writes the decimal digits.
    package mutating func writeDecimal(_ value: Int64) {
        self.writeWithUnsafeMutableBytes(minimumWritableBytes: 20) { bytes in
            guard var cursor = WriteCursor(bytes) else { return 0 }
            cursor.put(decimal: value)
            return cursor.count
        }
    }

    /// Writes the 36 characters.
    package mutating func writeID(_ id: UniqueID) {
        self.writeWithUnsafeMutableBytes(minimumWritableBytes: UniqueID.textLength) { bytes in
            id.writeText(into: bytes)
            return UniqueID.textLength
        }
    }
}
