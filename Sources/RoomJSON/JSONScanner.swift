/// Walks once over a JSON text (RFC 8259, strictly) and tells where its values begin and end; builds nothing.
///
/// It keeps its own stack of bits instead of recursing. A fault that leaves the structure readable (a bad byte
/// within a string, too many levels) becomes the ``concern`` and the scan goes on, so that the fields after it, the
/// `callback` above all, can still be read; anything else is thrown.
package struct JSONScanner {
    private let start: UnsafeRawPointer
    private let count: Int
    private let nestingLimit: Int
    package var position = 0
    package private(set) var concern: JSONFault?
    /// A CR or LF stood between two tokens.
    package private(set) var sawLineBreak = false
    private var nesting = JSONNesting()

    package init(_ bytes: UnsafeRawBufferPointer, nestingLimit: Int = .max) {
        // Without bytes the pointer is never read from.
        self.start = bytes.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        self.count = bytes.count
        self.nestingLimit = nestingLimit
    }

    /// Checks that the text is exactly one value, with blanks around it at most, and returns where the value stands.
    package static func check(_ bytes: UnsafeRawBufferPointer, nestingLimit: Int) throws(JSONFault) -> Range<Int> {
        var scanner = JSONScanner(bytes, nestingLimit: nestingLimit)
        scanner.skipBlanks()
        let start = scanner.position
        var end = start
        do throws(JSONFault) {
            try scanner.skipValue()
            end = scanner.position
            try scanner.finish()
        } catch {
            throw scanner.concern ?? error
        }
        if let concern = scanner.concern { throw concern }
        return start..<end
    }

    /// Skips the value that starts here.
    package mutating func skipValue() throws(JSONFault) {
        let depth = self.nesting.depth
        var isFirst = try self.openOrSkip()
        while self.nesting.depth > depth {
            let hasMore = self.nesting.isInObject ? try self.nextKey(isFirst) != nil : try self.nextElement(isFirst)
            isFirst = hasMore ? try self.openOrSkip() : false
        }
    }

    /// Goes to the value of the next field of the innermost object; `nil` once it is closed.
    package mutating func nextKey(_ isFirst: Bool) throws(JSONFault) -> JSONKey? {
        guard try self.nextItem(isFirst, close: UInt8(ascii: "}"), expecting: isFirst ? "a key or '}'" : "',' or '}'")
        else { return nil }
        guard self.here == UInt8(ascii: "\"") else { throw self.fault("a key in double quotes") }
        let start = self.position &+ 1
        let isEscaped = try self.skipString()
        let key = JSONKey(range: start..<(self.position &- 1), isEscaped: isEscaped)
        self.skipBlanks()
        guard self.here == UInt8(ascii: ":") else { throw self.fault("':' after the key") }
        self.position &+= 1
        self.skipBlanks()
        return key
    }

    /// Goes to the next element of the innermost array; false once it is closed.
    mutating func nextElement(_ isFirst: Bool) throws(JSONFault) -> Bool {
        try self.nextItem(isFirst, close: UInt8(ascii: "]"), expecting: isFirst ? "a value or ']'" : "',' or ']'")
    }

    /// Opens the object or array that starts here (true), or skips the string, number or word (false).
    @inline(__always)
    package mutating func openOrSkip() throws(JSONFault) -> Bool {
        switch self.here {
        case UInt8(ascii: "\""): _ = try self.skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return self.open()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try self.skipNumber()
        case UInt8(ascii: "t"): try self.skipWord("true")
        case UInt8(ascii: "f"): try self.skipWord("false")
        case UInt8(ascii: "n"): try self.skipWord("null")
        default: throw self.fault("a value")
        }
        return false
    }

    /// Nothing but blanks may follow.
    package mutating func finish() throws(JSONFault) {
        self.skipBlanks()
        guard self.isAtEnd else { throw self.fault("the end after the value") }
    }

    @inline(__always)
    package mutating func skipBlanks() {
        if self.here <= UInt8(ascii: " ") { self.skipBlankRun() }
    }

    private mutating func skipBlankRun() {
        while !self.isAtEnd {
            switch self.here {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): self.sawLineBreak = true
            default: return
            }
            self.position &+= 1
        }
    }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: self.start, count: self.count) }

    @inline(__always)
    var isAtEnd: Bool { self.position >= self.count }

    /// The byte to look at; at the end a NUL, which no token of JSON begins with or goes on with.
    @inline(__always)
    package var here: UInt8 {
        self.isAtEnd ? 0 : self.start.load(fromByteOffset: self.position, as: UInt8.self)
    }

    func fault(_ expected: StaticString) -> JSONFault {
        if self.here >= 0x80, UTF8Sequence.end(in: self.bytes, from: self.position) == nil {
            return JSONFault(kind: .invalidUTF8, offset: self.position, expected: "")
        }
        return JSONFault(kind: .malformed, offset: self.position, expected: expected)
    }

    /// Remembers the first thing that is wrong and does not stop the scan.
    mutating func note(_ kind: JSONFault.Kind, at offset: Int) {
        guard self.concern == nil else { return }
        self.concern = JSONFault(kind: kind, offset: offset, expected: "")
    }

    private mutating func open() -> Bool {
        self.nesting.open(isObject: self.here == UInt8(ascii: "{"))
        if self.nesting.depth > self.nestingLimit { self.note(.nestingTooDeep, at: self.position) }
        self.position &+= 1
        return true
    }

    @inline(__always)
    private mutating func nextItem(
        _ isFirst: Bool,
        close: UInt8,
        expecting expected: StaticString
    ) throws(JSONFault) -> Bool {
        self.skipBlanks()
        if self.here == close {
            self.nesting.close()
            self.position &+= 1
            return false
        }
        if isFirst {
            guard !self.isAtEnd else { throw self.fault(expected) }
            return true
        }
        guard self.here == UInt8(ascii: ",") else { throw self.fault(expected) }
        self.position &+= 1
        self.skipBlanks()
        return true
    }
}
