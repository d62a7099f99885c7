/// Strings, numbers and words: each function starts at the first byte of its token and ends behind the last.
extension JSONScanner {
    /// Returns whether the string has escapes.
    mutating func skipString() throws(JSONFault) -> Bool {
        var isEscaped = false
        self.position += 1
        while true {
            self.skipPlainText()
            guard !self.isAtEnd else { throw self.fault("the closing quote of a string") }
            let byte = self.here
            if byte == UInt8(ascii: "\"") {
                self.position += 1
                return isEscaped
            }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                try self.skipEscape()
            } else if byte >= 0x80 {
                self.skipNonASCII()
            } else {
                throw self.fault("an escape such as \\n in place of a control character")
            }
        }
    }

    /// Skips ASCII up to a quote, a backslash, a control character or a byte that is no ASCII, eight bytes at a time.
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let spaces: UInt64 = 0x2020_2020_2020_2020
        let quotes: UInt64 = 0x2222_2222_2222_2222
        let backslashes: UInt64 = 0x5c5c_5c5c_5c5c_5c5c
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var position = self.position
        while position &+ 8 <= self.bytes.count {
            let word = UInt64(littleEndian: self.bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // The high bit of a byte is set where it is no ASCII, below a space, a quote or a backslash. A borrow can
            // set further ones, but only above the first that is right, and only that one counts.
            let low = word &- spaces
            let quote = (word ^ quotes) &- ones
            let backslash = (word ^ backslashes) &- ones
            let stops = (word | low | quote | backslash) & highBits
            if stops != 0 {
                self.position = position &+ (stops.trailingZeroBitCount &>> 3)
                return
            }
            position &+= 8
        }
        while position < self.bytes.count, Self.isPlain(self.bytes[position]) { position &+= 1 }
        self.position = position
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func skipNonASCII() {
        while self.here >= 0x80 {
            if let end = UTF8Sequence.end(in: self.bytes, from: self.position) {
                self.position = end
            } else {
                self.note(.invalidUTF8, at: self.position)
                self.position += 1
            }
        }
    }

    private mutating func skipEscape() throws(JSONFault) {
        self.position += 1
        switch self.here {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            self.position += 1
        case UInt8(ascii: "u"):
            self.position += 1
            for _ in 0..<4 {
                guard JSONString.hexValue(self.here) != nil else {
                    throw self.fault("four hexadecimal digits after \\u")
                }
                self.position += 1
            }
        default:
            throw self.fault("one of \" \\ / b f n r t u after a backslash")
        }
    }

    mutating func skipNumber() throws(JSONFault) {
        if self.here == UInt8(ascii: "-") { self.position += 1 }
        if self.here == UInt8(ascii: "0") {
            self.position += 1
        } else {
            try self.skipDigits("a digit after '-'")
        }
        if self.here == UInt8(ascii: ".") {
            self.position += 1
            try self.skipDigits("a digit after '.'")
        }
        if self.here == UInt8(ascii: "e") || self.here == UInt8(ascii: "E") {
            self.position += 1
            if self.here == UInt8(ascii: "+") || self.here == UInt8(ascii: "-") { self.position += 1 }
            try self.skipDigits("a digit in the exponent")
        }
    }

    private mutating func skipDigits(_ expected: StaticString) throws(JSONFault) {
        let start = self.position
        while self.here &- UInt8(ascii: "0") < 10 { self.position += 1 }
        if self.position == start { throw self.fault(expected) }
    }

    mutating func skipWord(_ word: StaticString) throws(JSONFault) {
        let end = self.position + word.utf8CodeUnitCount
        guard end <= self.bytes.count, self.bytes.slice(self.position..<end).equals(word) else {
            throw self.fault("a value")
        }
        self.position = end
    }
}
