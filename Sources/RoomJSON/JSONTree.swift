package import NIOCore
package import RoomModel

/// A JSON value with all that is in it, for what is read and written now and then: settings, answers of the admin API.
///
/// Fields keep their order. Frames never go through it: what passes byte for byte is `verbatim`.
package indirect enum JSONTree: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The number as it stands.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Field])
    /// One JSON value that was checked elsewhere; only written, never read.
    case verbatim(ByteBuffer)

    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: JSONTree

        package init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a field; `nil` where there is none, or this is not an object.
    package subscript(name: String) -> JSONTree? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.name == name }?.value
    }

    package static func integer(_ number: some BinaryInteger) -> JSONTree { .number("\(number)") }

    /// The string; `nil` where this is none.
    package var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number; `nil` where this is none, or a negative one.
    package var numberValue: UInt64? { if case .number(let digits) = self { UInt64(digits) } else { nil } }

    /// `.null` for `nil`.
    package static func optional<Value>(_ value: Value?, _ tree: (Value) -> JSONTree) -> JSONTree {
        value.map(tree) ?? .null
    }
}

extension JSONTree {
    /// Reads one value, with blanks around it at most.
    ///
    /// - Throws: `RequestError` with `malformed_json`, `invalid_utf8`, `nesting_too_deep`, `duplicate_field`, or
    ///   `invalid_field` for a string with half of a surrogate pair.
    package static func read(_ text: ByteBuffer, nestingLimit: Int = 64) throws(RequestError) -> JSONTree {
        let result = text.withUnsafeReadableBytes { bytes -> Result<JSONTree, RequestError> in
            do throws(RequestError) {
                return .success(try Self.read(bytes, nestingLimit: nestingLimit))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, nestingLimit: Int) throws(RequestError) -> JSONTree {
        do throws(JSONFault) {
            _ = try JSONScanner.check(bytes, nestingLimit: nestingLimit)
        } catch {
            throw RequestError(error.code, error.text(in: bytes, nestingLimit: nestingLimit))
        }
        var reader = JSONTreeReader(bytes)
        return try reader.read()
    }

    /// Writes it without blanks.
    package func write(to buffer: inout ByteBuffer) {
        switch self {
        case .null: buffer.writeStaticString("null")
        case .bool(let value): buffer.writeString(value ? "true" : "false")
        case .number(let digits): buffer.writeString(digits)
        case .string(let text): buffer.writeJSONString(text)
        case .verbatim(let value): buffer.writeImmutableBuffer(value)
        case .array(let elements):
            buffer.writeStaticString("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { buffer.writeStaticString(",") }
                element.write(to: &buffer)
            }
            buffer.writeStaticString("]")
        case .object(let fields):
            buffer.writeStaticString("{")
            for (index, field) in fields.enumerated() {
                if index > 0 { buffer.writeStaticString(",") }
                buffer.writeJSONString(field.name)
                buffer.writeStaticString(":")
                field.value.write(to: &buffer)
            }
            buffer.writeStaticString("}")
        }
    }

    package var bytes: ByteBuffer {
        var buffer = ByteBuffer()
        self.write(to: &buffer)
        return buffer
    }

    package var text: String { String(buffer: self.bytes) }
}

extension [JSONTree.Field] {
    /// The field, or none where there is no text.
    package static func present(_ name: String, _ text: String?) -> [JSONTree.Field] {
        text.map { [JSONTree.Field(name, .string($0))] } ?? []
    }
}

extension JSONTree {
    /// As JSON for an error: short, and on one line. What JSON may have in a string but no reader sees is escaped, too, such as U+007F and
    /// U+202E.
    package var shown: String {
        var shown = ""
        for (index, scalar) in self.text.unicodeScalars.enumerated() {
            if index == 80 { return shown + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += scalar.escaped
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// In the escapes of RFC 8259 §7: `\u202e`.
    fileprivate var escaped: String {
        self.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension String {
    /// `JSONTree.shown` of this string.
    package var shown: String { JSONTree.string(self).shown }
}

/// Reads the values of a text that was checked before: well-formed, and not nested deeper than a stack can take.
private struct JSONTreeReader {
    private let bytes: UnsafeRawBufferPointer
    private var scanner: JSONScanner

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        self.scanner = JSONScanner(bytes)
        self.scanner.skipBlanks()
    }

    mutating func read() throws(RequestError) -> JSONTree {
        let start = self.scanner.position
        let first = self.scanner.here
        let isOpen = try self.step { scanner throws(JSONFault) in try scanner.openOrSkip() }
        switch first {
        case UInt8(ascii: "{"): return try self.readObject(isOpen)
        case UInt8(ascii: "["): return try self.readArray(isOpen)
        case UInt8(ascii: "\""): return .string(try self.text(start + 1..<self.scanner.position - 1))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "n"): return .null
        default: return .number(String(decoding: self.bytes[start..<self.scanner.position], as: UTF8.self))
        }
    }

    private mutating func readObject(_ isOpen: Bool) throws(RequestError) -> JSONTree {
        var fields: [JSONTree.Field] = []
        var names: Set<[UInt8]> = []
        var isFirst = isOpen
        while let key = try self.step({ scanner throws(JSONFault) in try scanner.nextKey(isFirst) }) {
            let name = try self.text(key.range)
            guard names.insert(Array(name.utf8)).inserted else {
                throw RequestError(.duplicateField, "the field \(name.shown) is given twice: give it once")
            }
            fields.append(JSONTree.Field(name, try self.read()))
            isFirst = false
        }
        return .object(fields)
    }

    private mutating func readArray(_ isOpen: Bool) throws(RequestError) -> JSONTree {
        var elements: [JSONTree] = []
        var isFirst = isOpen
        while try self.step({ scanner throws(JSONFault) in try scanner.nextElement(isFirst) }) {
            elements.append(try self.read())
            isFirst = false
        }
        return .array(elements)
    }

    private func text(_ range: Range<Int>) throws(RequestError) -> String {
        guard let text = JSONString.text(self.bytes.slice(range)) else {
            throw RequestError(.invalidField, "a string has half of a surrogate pair: give Unicode text")
        }
        return text
    }

    private mutating func step<Value>(
        _ body: (inout JSONScanner) throws(JSONFault) -> Value
    ) throws(RequestError) -> Value {
        do throws(JSONFault) {
            return try body(&self.scanner)
        } catch {
            throw RequestError(error.code, error.text(in: self.bytes, nestingLimit: .max))
        }
    }
}
