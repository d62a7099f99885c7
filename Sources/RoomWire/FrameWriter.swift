package import NIOCore
package import RoomModel

/// Composes one JSON frame, field by field; the stamp is its end, so that no frame can be written without one.
package struct FrameWriter: ~Copyable {
    private var buffer: ByteBuffer
    private var isEmpty = true

    /// Appends one frame and its newline to `buffer`.
    package static func write(
        into buffer: inout ByteBuffer,
        stamp: Stamp,
        _ fields: (inout FrameWriter) -> Void
    ) {
        var taken = ByteBuffer()
        swap(&taken, &buffer)  // with two owners the first write would copy all that is there
        var frame = FrameWriter(consume taken)
        fields(&frame)
        buffer = frame.finish(stamp)
    }

    private init(_ buffer: consuming ByteBuffer) {
        self.buffer = buffer
        self.buffer.writeStaticString("{")
    }

    private consuming func finish(_ stamp: Stamp) -> ByteBuffer {
        self.field("id") { buffer in
            buffer.writeStaticString("\"")
            buffer.writeID(stamp.id)
            buffer.writeStaticString("\"")
        }
        self.field("timestamp", stamp.timestamp)
        self.field("sender", json: stamp.sender.json)
        self.buffer.writeStaticString("}\n")
        return self.buffer
    }

    package mutating func field(_ key: StaticString, _ value: String) {
        self.field(key) { $0.writeJSONString(value) }
    }

    package mutating func field(_ key: StaticString, _ value: some FixedWidthInteger) {
        self.field(key) { $0.writeDecimal(Int64(clamping: value)) }
    }

    package mutating func field(_ key: StaticString, _ value: Bool) {
        self.field(key) { $0.writeStaticString(value ? "true" : "false") }
    }

    package mutating func field(_ key: StaticString, json: ByteBuffer) {
        self.field(key) { $0.writeImmutableBuffer(json) }
    }

    /// A field whose value is an array; `element` writes one.
    package mutating func field<Element>(
        _ key: StaticString,
        array: some Sequence<Element>,
        element: (Element, inout ByteBuffer) -> Void
    ) {
        self.field(key) { buffer in
            buffer.writeStaticString("[")
            var isFirst = true
            for value in array {
                if !isFirst { buffer.writeStaticString(",") }
                isFirst = false
                element(value, &buffer)
            }
            buffer.writeStaticString("]")
        }
    }

    private mutating func field(_ key: StaticString, _ value: (inout ByteBuffer) -> Void) {
        self.buffer.writeStaticString(self.isEmpty ? "\"" : ",\"")
        self.isEmpty = false
        self.buffer.writeStaticString(key)
        self.buffer.writeStaticString("\":")
        value(&self.buffer)
    }
}
