package import NIOCore
package import RoomModel

extension ByteBuffer {
    /// Writes a JSON string: quoted, with the escapes that RFC 8259 §7 asks for.
    package mutating func writeJSONString(_ text: String) {
        let isPlain = !text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        let size = 2 + text.utf8.count * (isPlain ? 1 : WriteCursor.longestEscape)
        self.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
            guard var cursor = WriteCursor(bytes) else { return 0 }
            cursor.put(string: text)
            return cursor.count
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
