package import NIOCore
import RoomJSON

/// Writes an object as its description says, without blanks.
package struct ObjectWriter: FieldVisitor, ~Copyable {
    private var buffer: ByteBuffer
    private var isEmpty = true

    package var takesAll: Bool { false }

    /// Appends one object to `buffer`.
    package static func write(into buffer: inout ByteBuffer, _ fields: (inout ObjectWriter) -> Void) {
        var writer = ObjectWriter(appendingTo: &buffer)
        fields(&writer)
        buffer = writer.finish()
    }

    /// Takes the bytes out of `buffer`: with two owners the first write would copy all that is there. ``finish()`` gives them back.
    package init(appendingTo buffer: inout ByteBuffer) {
        self.buffer = ByteBuffer()
        swap(&self.buffer, &buffer)
        self.buffer.writeStaticString("{")
    }

    package consuming func finish() -> ByteBuffer {
        self.buffer.writeStaticString("}")
        return self.buffer
    }

    /// The fields of `object`, among those of this one.
    package mutating func fields(of object: some DescribedObject) {
        var object = object
        object.fields(&self)
    }

    package mutating func field(_ name: StaticString, _ value: some FieldValue) {
        self.key(name)
        value.write(to: &self.buffer)
    }

    /// - Parameter word: has nothing in it that JSON escapes.
    mutating func field(_ name: StaticString, word: StaticString) {
        self.key(name)
        self.buffer.writeStaticString("\"")
        self.buffer.writeStaticString(word)
        self.buffer.writeStaticString("\"")
    }

    private mutating func key(_ name: StaticString) {
        self.buffer.writeStaticString(self.isEmpty ? "\"" : ",\"")
        self.isEmpty = false
        self.buffer.writeStaticString(name)
        self.buffer.writeStaticString("\":")
    }

    package mutating func required<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule
    ) {
        self.field(name, value)
    }

    package mutating func optional<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule
    ) {
        if let value { self.field(name, value) }
    }

    package mutating func nullable<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Nullable<Value>,
        _ rule: FieldRule,
        isRequired: Bool
    ) {
        switch value {
        case .absent: return
        case .null:
            self.key(name)
            self.buffer.writeStaticString("null")
        case .value(let value): self.field(name, value)
        }
    }
}
