/// Strings, numbers and words: each function starts at the first byte of its token and ends behind the last.
extension JSONScanner {
    /// Returns whether the string has escapes. Most strings are plain text up to their quote.
    @inline(__always)
    mutating func skipString() throws(JSONFault) -> Bool {
        self.position = self.bytes.plainTextEnd(from: self.position &+ 1)
        guard self.here == UInt8(ascii: "\"") else { return try self.skipStringRest() }
        self.position &+= 1
        return false
    }

    /// Goes on within a string at a byte that is no plain text.
    private mutating func skipStringRest() throws(JSONFault) -> Bool {
        var isEscaped = false
        while self.here != UInt8(ascii: "\"") {
            if self.here == UInt8(ascii: "\\") {
                isEscaped = true
                try self.skipEscape()
            } else if self.here >= 0x80 {
                self.skipNonASCII()
            } else if self.isAtEnd {
                throw self.fault("the closing quote of a string")
            } else {
                throw self.fault("an escape such as \\n in place of a control character")
            }
            self.position = self.bytes.plainTextEnd(from: self.position)
        }
        self.position &+= 1
        return isEscaped
    }

    private mutating func skipNonASCII() {
        let bytes = self.bytes
        var position = self.position
        while position < bytes.count, bytes[position] >= 0x80 {
            if let end = UTF8Sequence.end(in: bytes, from: position) {
                position = end
            } else {
                self.note(.invalidUTF8, at: position)
                position &+= 1
            }
        }
        self.position = position
    }

    private mutating func skipEscape() throws(JSONFault) {
        self.position &+= 1
        switch self.here {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            self.position &+= 1
        case UInt8(ascii: "u"):
            self.position &+= 1
            for _ in 0..<4 {
                guard JSONString.hexValue(self.here) != nil else {
                    throw self.fault("four hexadecimal digits after \\u")
                }
                self.position &+= 1
            }
        default:
            throw self.fault("one of \" \\ / b f n r t u after a backslash")
        }
    }

    mutating func skipNumber() throws(JSONFault) {
        if self.here == UInt8(ascii: "-") { self.position &+= 1 }
        if self.here == UInt8(ascii: "0") {
            self.position &+= 1
        } else {
            try self.skipDigits("a digit after '-'")
        }
        if self.here == UInt8(ascii: ".") {
            self.position &+= 1
            try self.skipDigits("a digit after '.'")
        }
        if self.here == UInt8(ascii: "e") || self.here == UInt8(ascii: "E") {
            self.position &+= 1
            if self.here == UInt8(ascii: "+") || self.here == UInt8(ascii: "-") { self.position &+= 1 }
            try self.skipDigits("a digit in the exponent")
        }
    }

    private mutating func skipDigits(_ expected: StaticString) throws(JSONFault) {
        let bytes = self.bytes
        var position = self.position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        if self.position == position { throw self.fault(expected) }
        self.position = position
    }

    mutating func skipWord(_ word: StaticString) throws(JSONFault) {
        let end = self.position + word.utf8CodeUnitCount
        guard end <= self.bytes.count, self.bytes.slice(self.position..<end).equals(word) else {
            throw self.fault("a value")
        }
        self.position = end
    }
}
