/// One value of a checked JSON text, read where it stands.
///
/// Its bytes are lent: it must not leave the closure that lends them.
package struct JSONValue {
    private let text: UnsafeRawBufferPointer
    private let place: Range<Int>

    /// Checks that the text is exactly one value, with blanks around it at most.
    private init(checking text: UnsafeRawBufferPointer, nestingLimit: Int) throws(JSONFault) {
        self.text = text
        self.place = try JSONScanner.check(text, nestingLimit: nestingLimit)
    }

    fileprivate init(_ text: UnsafeRawBufferPointer, at place: Range<Int>) {
        self.text = text
        self.place = place
    }

    /// The first byte tells the kinds apart.
    private var first: UInt8 { self.text[self.place.lowerBound] }

    /// The value byte for byte.
    package var bytes: UnsafeRawBufferPointer { self.text.slice(self.place) }

    package var isNull: Bool { self.first == UInt8(ascii: "n") }

    package var isString: Bool { self.first == UInt8(ascii: "\"") }

    /// `nil` where it is not a string, or has half of a surrogate pair and so is no Unicode text.
    package var string: String? { JSONString.text(at: self.place, in: self.text) }

    /// The number as it is written; `nil` where it is none.
    package var digits: String? {
        guard self.first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self.first else { return nil }
        return String(decoding: self.bytes, as: UTF8.self)
    }

    /// `nil` where it is not a number; infinite where it is too large.
    package var number: Double? { self.digits.flatMap { Double($0) } }

    package var bool: Bool? {
        switch self.first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// `nil` where it is not an object.
    package var fields: Fields? {
        self.first == UInt8(ascii: "{") ? Fields(self.text, at: self.place) : nil
    }

    /// The fields of an object in their order, repeated ones too.
    package struct Fields: Sequence, IteratorProtocol {
        private var scanner: JSONScanner
        private var isFirst = true

        fileprivate init(_ text: UnsafeRawBufferPointer, at place: Range<Int>) {
            self.scanner = JSONScanner(text)
            self.scanner.position = place.lowerBound
        }

        /// - Returns: `name` is `nil` where it has half of a surrogate pair.
        package mutating func next() -> (name: String?, value: JSONValue)? {
            do throws(JSONFault) {
                if self.isFirst { _ = try self.scanner.openOrSkip() }
                guard let key = try self.scanner.nextKey(self.isFirst) else { return nil }
                self.isFirst = false
                let start = self.scanner.position
                try self.scanner.skipValue()
                let text = self.scanner.bytes
                let value = JSONValue(text, at: start..<self.scanner.position)
                return (JSONString.text(text.slice(key.range)), value)
            } catch {
                // The text was checked before, so this is its end.
                return nil
            }
        }
    }
}

extension JSONValue {
    /// Lends `body` the one value that the text is; `nil` where it is none, or nested deeper than the limit.
    package static func reading<Value, Failure: Error>(
        _ text: [UInt8],
        nestingLimit: Int,
        _ body: (JSONValue?) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try text.withUnsafeBufferPointer { text throws(Failure) in
            // The fault in it is not told: its sender may be a stranger.
            try body(try? JSONValue(checking: UnsafeRawBufferPointer(text), nestingLimit: nestingLimit))
        }
    }
}
