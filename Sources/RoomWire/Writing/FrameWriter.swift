package import NIOCore
import RoomJSON
package import RoomModel

/// Composes one JSON frame, field by field; the stamp is the end of a frame of the broker's, so that other modules can write
/// none without it.
package struct FrameWriter: ~Copyable {
    private var object: ObjectWriter

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
        var frame = FrameWriter(object: ObjectWriter(appendingTo: &buffer))
        fields(&frame)
        buffer = frame.finish()
    }

    private mutating func stamp(_ stamp: Stamp) {
        self.field("id", stamp.id)
        self.field("timestamp", stamp.timestamp)
        self.field("sender", stamp.sender.json)
    }

    private consuming func finish() -> ByteBuffer {
        var buffer = self.object.finish()
        buffer.writeStaticString("\n")
        return buffer
    }

    /// The type of a frame and its fields.
    package mutating func frame(_ frame: some Frame) {
        self.type(frame.type)
        self.fields(of: frame)
    }

    /// The type of a frame without fields, or with such as no description has.
    package mutating func type(_ type: some WireWord) {
        self.object.field("type", word: type.name)
    }

    /// The fields of an answer.
    package mutating func reply(to callback: Int64?, _ answer: some DescribedObject) {
        self.reply(to: callback)
        self.fields(of: answer)
    }

    /// An answer that says no more than that a request is done.
    package mutating func reply(to callback: Int64?) {
        if let callback { self.field("callback", callback) }
    }

    package mutating func error(_ error: RequestError) {
        self.reply(to: error.callback, ReplyError(error))
    }

    private mutating func fields(of object: some DescribedObject) {
        self.object.fields(of: object)
    }

    package mutating func field(_ key: StaticString, _ value: some FieldValue) {
        self.object.field(key, value)
    }
}
