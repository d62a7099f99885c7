/// Strings, numbers and words: each function starts at the first byte of its token and ends behind the last.
extension JSONScanner {
    /// Returns whether the string has escapes.
    mutating func skipString() throws(JSONFault) -> Bool {
        var isEscaped = false
        self.position += 1
        while true {
            self.position = self.bytes.plainTextEnd(from: self.position)
            switch self.here {
            case UInt8(ascii: "\""):
                self.position += 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                try self.skipEscape()
            case 0x80...:
                self.skipNonASCII()
            default:
                throw self.fault(
                    self.isAtEnd
                        ? "the closing quote of a string" : "an escape such as \\n in place of a control character"
                )
            }
        }
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
