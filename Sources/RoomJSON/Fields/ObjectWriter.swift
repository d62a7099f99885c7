package import NIOCore

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
    @inlinable package mutating func fields(of object: some DescribedObject) {
        var object = object
        object.fields(&self)
    }

    @inlinable package mutating func field(_ name: StaticString, _ value: some FieldValue) {
        self.field(name, writing: value.write)
    }

    /// - Parameter value: writes the value of the field.
    package mutating func field(_ name: StaticString, writing value: (inout ByteBuffer) -> Void) {
        self.buffer.writeStaticString(self.isEmpty ? "\"" : ",\"")
        self.isEmpty = false
        self.buffer.writeStaticString(name)
        self.buffer.writeStaticString("\":")
        value(&self.buffer)
    }

    @inlinable package mutating func required<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value,
        _ rule: FieldRule
    ) {
        self.field(name, value)
    }

    @inlinable package mutating func optional<Value: FieldValue>(
        _ name: StaticString,
        _ value: inout Value?,
        _ rule: FieldRule
    ) {
        if let value { self.field(name, value) }
    }
}
