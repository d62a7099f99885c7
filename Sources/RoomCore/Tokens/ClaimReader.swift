/// Reads the JSON of a token (RFC 8259, strictly) from front to end, and leaves values as they stand.
///
/// After `enterObject`, each `nextKey` but the last, which returns `nil`, is followed by reading one value.
struct ClaimReader {
    /// The text is no JSON or too deeply nested, or there is another kind of value than asked for.
    struct Mismatch: Error {}

    struct Key {
        /// `nil` where it has half of a surrogate pair and so is no text.
        let text: String?
    }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// Nothing has been read yet of the object or array that was entered last.
    private var isFirst = false

    /// `nil` where the bytes are not UTF-8.
    init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self.bytes = bytes
    }

    mutating func enterObject() throws(Mismatch) {
        try self.enter(UInt8(ascii: "{"))
    }

    mutating func nextKey() throws(Mismatch) -> Key? {
        guard try self.nextItem(close: UInt8(ascii: "}")) else { return nil }
        let key = Key(text: try self.string())
        try self.skip(UInt8(ascii: ":"))
        return key
    }

    /// Returns `nil` where the string has half of a surrogate pair.
    mutating func string() throws(Mismatch) -> String? {
        try self.skip(UInt8(ascii: "\""))
        let start = self.position
        var isEscaped = false
        while self.here != UInt8(ascii: "\"") {
            guard self.here >= 0x20 else { throw Mismatch() }
            if self.here == UInt8(ascii: "\\") {
                isEscaped = true
                self.position += 1
                guard self.position < self.bytes.count else { throw Mismatch() }
            }
            self.position += 1
        }
        let content = self.bytes[start..<self.position]
        self.position += 1
        guard isEscaped else { return String(decoding: content, as: UTF8.self) }
        return try JSONEscapes.decode(content)
    }

    mutating func number() throws(Mismatch) -> Double {
        let range = try self.skipNumber()
        guard let number = Double(String(decoding: self.bytes[range], as: UTF8.self)) else { throw Mismatch() }
        return number
    }

    /// Reads a string, or a number as it is written.
    mutating func textOrNumber() throws(Mismatch) -> String {
        guard self.next == UInt8(ascii: "\"") else {
            return String(decoding: self.bytes[try self.skipNumber()], as: UTF8.self)
        }
        guard let text = try self.string() else { throw Mismatch() }
        return text
    }

    mutating func bool() throws(Mismatch) -> Bool {
        let value = self.next == UInt8(ascii: "t")
        try self.skipWord(value ? "true" : "false")
        return value
    }

    /// Reads `null` if it stands here.
    mutating func null() throws(Mismatch) -> Bool {
        guard self.next == UInt8(ascii: "n") else { return false }
        try self.skipWord("null")
        return true
    }

    /// Reads any value: its bytes, but each line break between its tokens as a space.
    mutating func value() throws(Mismatch) -> [UInt8] {
        // A line break within a string would have to be escaped, so that all there are stand between tokens.
        self.bytes[try self.skipValue()].map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? 0x20 : $0 }
    }

    /// Returns where the value stands.
    @discardableResult
    mutating func skipValue() throws(Mismatch) -> Range<Int> {
        let first = self.next
        let start = self.position
        switch first {
        case UInt8(ascii: "{"):
            try self.enterObject()
            while try self.nextKey() != nil { try self.skipValue() }
        case UInt8(ascii: "["):
            try self.enter(UInt8(ascii: "["))
            while try self.nextItem(close: UInt8(ascii: "]")) { try self.skipValue() }
        case UInt8(ascii: "\""): _ = try self.string()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try self.bool()
        case UInt8(ascii: "n"): _ = try self.null()
        default: _ = try self.skipNumber()
        }
        return start..<self.position
    }

    /// Nothing but blanks may be left.
    mutating func finish() throws(Mismatch) {
        _ = self.next
        guard self.position == self.bytes.count else { throw Mismatch() }
    }

    // MARK: - Tokens

    /// The byte here; at the end a NUL, which JSON has none of.
    private var here: UInt8 { self.position < self.bytes.count ? self.bytes[self.position] : 0 }

    /// The first byte of the next token.
    private var next: UInt8 {
        mutating get {
            while Self.isBlank(self.here) { self.position += 1 }
            return self.here
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
    }

    private mutating func skip(_ byte: UInt8) throws(Mismatch) {
        guard self.next == byte else { throw Mismatch() }
        self.position += 1
    }

    private mutating func enter(_ open: UInt8) throws(Mismatch) {
        try self.skip(open)
        self.depth += 1
        guard self.depth <= TokenLimits.nesting else { throw Mismatch() }
        self.isFirst = true
    }

    /// Goes to the next item; false, and behind the object or array, once it is closed.
    private mutating func nextItem(close: UInt8) throws(Mismatch) -> Bool {
        defer { self.isFirst = false }
        if self.next == close {
            self.position += 1
            self.depth -= 1
            return false
        }
        if !self.isFirst { try self.skip(UInt8(ascii: ",")) }
        return true
    }

    private mutating func skipNumber() throws(Mismatch) -> Range<Int> {
        _ = self.next
        let start = self.position
        if self.here == UInt8(ascii: "-") { self.position += 1 }
        if self.here == UInt8(ascii: "0") { self.position += 1 } else { try self.skipDigits() }
        if self.here == UInt8(ascii: ".") {
            self.position += 1
            try self.skipDigits()
        }
        if self.here == UInt8(ascii: "e") || self.here == UInt8(ascii: "E") {
            self.position += 1
            if self.here == UInt8(ascii: "+") || self.here == UInt8(ascii: "-") { self.position += 1 }
            try self.skipDigits()
        }
        return start..<self.position
    }

    private mutating func skipDigits() throws(Mismatch) {
        let start = self.position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self.here) { self.position += 1 }
        guard self.position > start else { throw Mismatch() }
    }

    private mutating func skipWord(_ word: StaticString) throws(Mismatch) {
        _ = self.next
        let length = word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: length)
        guard self.bytes[self.position...].prefix(length).elementsEqual(expected) else { throw Mismatch() }
        self.position += length
    }
}
