package import NIOCore

/// Finds single top-level fields in a JSON object that was checked before, without reading the rest of it.
///
/// Keys are compared unescaped; of a repeated key the first counts. Anything but an object has no fields.
package enum JSONFields {
    /// Where the field's value stands, counted from the reader index.
    package static func range(of key: StaticString, in object: ByteBuffer) -> Range<Int>? {
        object.withUnsafeReadableBytes { Self.range(of: key, in: $0) }
    }

    /// The field's value, byte for byte.
    package static func value(of key: StaticString, in object: ByteBuffer) -> ByteBuffer? {
        let place = self.range(of: key, in: object)
        return place.flatMap { object.getSlice(at: object.readerIndex + $0.lowerBound, length: $0.count) }
    }

    /// The field's text, unescaped; `nil` when the field is not a string or no Unicode text.
    package static func string(of key: StaticString, in object: ByteBuffer) -> String? {
        object.withUnsafeReadableBytes { bytes in
            Self.range(of: key, in: bytes).flatMap { JSONString.text(at: $0, in: bytes) }
        }
    }

    /// The elements of the array that is the field's value, byte for byte; none when it is not an array.
    package static func elements(of key: StaticString, in object: ByteBuffer) -> [ByteBuffer] {
        guard let array = Self.value(of: key, in: object), array.readableBytesView.first == UInt8(ascii: "[") else {
            return []
        }
        return array.jsonElements
    }

    /// All names with the places of their values.
    package static func places(in bytes: UnsafeRawBufferPointer) -> [(name: String, place: Range<Int>)] {
        var scanner = JSONScanner(bytes)
        var places: [(name: String, place: Range<Int>)] = []
        do throws(JSONFault) {
            var isFirst = try scanner.openOrSkip()
            while let key = try scanner.nextKey(isFirst) {
                let start = scanner.position
                try scanner.skipValue()
                if let name = JSONString.text(bytes.slice(key.range)) {
                    places.append((name, start..<scanner.position))
                }
                isFirst = false
            }
        } catch {
            // No JSON object, against the promise: it has no more fields.
        }
        return places
    }

    package static func range(of key: StaticString, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        var scanner = JSONScanner(bytes)
        scanner.skipBlanks()
        guard scanner.here == UInt8(ascii: "{") else { return nil }
        do throws(JSONFault) {
            var isFirst = try scanner.openOrSkip()
            while let found = try scanner.nextKey(isFirst) {
                let start = scanner.position
                try scanner.skipValue()
                if found.equals(key, in: bytes) { return start..<scanner.position }
                isFirst = false
            }
        } catch {
            // No JSON object, against the promise: it has no such field.
        }
        return nil
    }
}
