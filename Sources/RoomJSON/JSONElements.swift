package import NIOCore

/// The places of the elements of an array in a checked text, one after the other.
package struct JSONElements: IteratorProtocol {
    private var scanner: JSONScanner
    private var isFirst = true

    /// `place` is that of the whole array.
    package init(_ bytes: UnsafeRawBufferPointer, at place: Range<Int>) {
        self.scanner = JSONScanner(bytes)
        self.scanner.position = place.lowerBound
    }

    package mutating func next() -> Range<Int>? {
        do throws(JSONFault) {
            if self.isFirst { _ = try self.scanner.openOrSkip() }
            guard try self.scanner.nextElement(self.isFirst) else { return nil }
            self.isFirst = false
            let start = self.scanner.position
            try self.scanner.skipValue()
            return start..<self.scanner.position
        } catch {
            // The text was checked before, so this is its end.
            return nil
        }
    }
}

extension ByteBuffer {
    /// The elements of the array that this checked text is, byte for byte.
    package var jsonElements: [ByteBuffer] {
        let places = self.withUnsafeReadableBytes { bytes in
            Array(IteratorSequence(JSONElements(bytes, at: bytes.indices)))
        }
        return places.compactMap { self.slice(at: $0) }
    }
}
