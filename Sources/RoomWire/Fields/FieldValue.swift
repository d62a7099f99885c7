package import NIOCore
package import RoomJSON

/// A value that a field can have: how it is read from JSON and written.
package protocol FieldValue {
    static func kind(_ rule: FieldRule) -> FieldKind

    /// The right value, as it completes "it has to be …".
    static func right(_ rule: FieldRule) -> String

    /// `null` is a value of a field that has to be there.
    static func takesNull(_ rule: FieldRule) -> Bool

    /// Reads a value that is not `null`, unless it takes that.
    static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Self

    func write(to buffer: inout ByteBuffer)
}

extension FieldValue {
    package static func right(_ rule: FieldRule) -> String {
        if case .like(let right) = rule { right } else { Self.kind(rule).right }
    }

    package static func takesNull(_ rule: FieldRule) -> Bool { false }
}

extension FieldKind {
    fileprivate var right: String {
        switch self {
        case .value: "a JSON value"
        case .text: "a string"
        case .word(let words): "one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .flag: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .object: "an object"
        case .array(.object): "an array of objects"
        case .array: "an array of strings"
        }
    }
}

extension DescribedObject {
    package static func kind(_ rule: FieldRule) -> FieldKind { .object(FieldListing.fields(of: Self.self)) }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Self {
        do throws(FieldFault) {
            return try ObjectReader.read(from: found.source, at: found.place)
        } catch {
            throw error.within(found.name)
        }
    }

    package func write(to buffer: inout ByteBuffer) {
        ObjectWriter.write(into: &buffer) { $0.fields(of: self) }
    }

    /// The object among values that are no descriptions yet.
    package var tree: JSONTree {
        var json = ByteBuffer()
        self.write(to: &json)
        return .verbatim(json)
    }
}

extension Bool: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .flag }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Bool {
        switch found.first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: throw found.misfit(Self.right(rule))
        }
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeStaticString(self ? "true" : "false") }
}

/// A JSON value that passes byte for byte. It is a slice of the text: copy what must live longer.
extension ByteBuffer: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind {
        switch rule {
        case .object: .object([])
        case .objects: .array(of: .object([]))
        default: .value
        }
    }

    package static func takesNull(_ rule: FieldRule) -> Bool { Self.kind(rule) == .value }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> ByteBuffer {
        switch rule {
        case .object: if found.first != UInt8(ascii: "{") { throw found.misfit(Self.right(rule)) }
        case .objects: _ = try [ByteBuffer].read(found, .object)
        default: break
        }
        return found.json
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeImmutableBuffer(self) }
}

extension Array: FieldValue where Element: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .array(of: Element.kind(rule)) }

    /// The rule is one for the elements, but for the number of them.
    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> [Element] {
        let right = Self.right(rule)
        var (values, elements) = ([Element](), try found.elements(right))
        while let place = elements.next() {
            if case .within(let bounds) = rule, values.count == bounds.upperBound {
                throw found.unfit("can have at most \(bounds.upperBound) elements")
            }
            do throws(FieldFault) {
                values.append(try Element.read(found.part(place), rule))
            } catch {
                guard case .misfit(_, let value, let excerpt) = error.kind, error.path.count == 1 else { throw error }
                throw FieldFault(.misfit(right: right, value: value, excerpt: excerpt), path: error.path)
            }
        }
        return values
    }

    package func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString("[")
        for (index, element) in self.enumerated() {
            if index > 0 { buffer.writeStaticString(",") }
            element.write(to: &buffer)
        }
        buffer.writeStaticString("]")
    }
}
