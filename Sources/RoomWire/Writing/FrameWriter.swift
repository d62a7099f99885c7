package import NIOCore
import RoomJSON
package import RoomModel

/// Composes one JSON frame, field by field; the stamp is the end of a frame of the broker's, so that other modules can write
/// none without it.
package struct FrameWriter: ~Copyable {
    private var buffer: ByteBuffer
    private var isEmpty = true

    /// Appends one frame and its newline to `buffer`.
    package static func write(
        into buffer: inout ByteBuffer,
        stamp: Stamp,
        _ fields: (inout FrameWriter) -> Void
    ) {
        Self.writeUnstamped(into: &buffer) { frame in
            fields(&frame)
            frame.stamp(stamp)
        }
    }

    /// Appends a client's frame, which has no stamp. Not for other modules: what leaves the broker has one.
    static func writeUnstamped(into buffer: inout ByteBuffer, _ fields: (inout FrameWriter) -> Void) {
        var taken = ByteBuffer()
        swap(&taken, &buffer)  // with two owners the first write would copy all that is there
        var frame = FrameWriter(consume taken)
        fields(&frame)
        buffer = frame.finish()
    }

    private init(_ buffer: consuming ByteBuffer) {
        self.buffer = buffer
        self.buffer.writeStaticString("{")
    }

    private mutating func stamp(_ stamp: Stamp) {
        self.field("id", stamp.id)
        self.field("timestamp", stamp.timestamp)
        self.field("sender", json: stamp.sender.json)
    }

    private consuming func finish() -> ByteBuffer {
        self.buffer.writeStaticString("}\n")
        return self.buffer
    }

    package mutating func field(_ key: StaticString, _ value: String) {
        self.field(key) { $0.writeJSONString(value) }
    }

    package mutating func field(_ key: StaticString, _ value: some FixedWidthInteger) {
        self.field(key) { buffer in
            if let value = Int64(exactly: value) {
                buffer.writeDecimal(value)
            } else {
                buffer.writeString(String(value))
            }
        }
    }

    /// A word of the protocol's, which needs no escapes.
    mutating func field(_ key: StaticString, _ word: StaticString) {
        self.field(key) { buffer in
            buffer.writeStaticString("\"")
            buffer.writeStaticString(word)
            buffer.writeStaticString("\"")
        }
    }

    package mutating func field(_ key: StaticString, _ id: UniqueID) {
        self.field(key) { buffer in
            buffer.writeStaticString("\"")
            buffer.writeID(id)
            buffer.writeStaticString("\"")
        }
    }

    /// An epoch that is none of the broker's becomes one that matches no log.
    mutating func field(_ key: StaticString, _ position: Position) {
        self.field(key) { buffer in
            buffer.writeString("{\"epoch\":\"\(position.epoch?.description ?? "")\",\"seq\":\(position.seq)}")
        }
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
