extension WriteCursor {
    /// The most bytes that one byte of a text takes, as `\u001f`.
    package static let longestEscape = 6

    /// A JSON string: quoted, with the escapes that RFC 8259 §7 asks for.
    package mutating func put(string text: String) {
        var text = text
        self.put(UInt8(ascii: "\""))
        text.withUTF8 { self.putEscaped(UnsafeRawBufferPointer($0)) }
        self.put(UInt8(ascii: "\""))
    }

    private mutating func putEscaped(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        while position < bytes.count {
            let end = bytes.plainTextEnd(from: position)
            self.put(bytes.slice(position..<end))
            guard end < bytes.count else { return }
            self.putEscaped(bytes[end])
            position = end + 1
        }
    }

    private mutating func putEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): self.put("\\\"")
        case UInt8(ascii: "\\"): self.put("\\\\")
        case UInt8(ascii: "\n"): self.put("\\n")
        case UInt8(ascii: "\r"): self.put("\\r")
        case UInt8(ascii: "\t"): self.put("\\t")
        case 0..<0x20:
            self.put(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xf
            self.put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: self.put(byte)
        }
    }
}
