package import NIOCore
import RoomJSON
package import RoomModel

/// Writes `message_redacted` frames, and the tombstones of redacted messages.
///
///     {"type":"message_redacted","room":"r", "id":…,"timestamp":…,"seq":…,"sender":…,"target_seq":…,"target_id":…,"reason":…}
extension PublishWriter {
    /// Appends a frame and its newline.
    ///
    /// - Returns: where its tail is in the buffer, as absolute indices.
    package func writeRedaction(
        ofMessage targetSeq: UInt64,
        _ targetID: UniqueID,
        reason: String?,
        stamp: Stamp,
        seq: UInt64,
        into buffer: inout ByteBuffer
    ) -> Range<Int> {
        self.writeHead(.messageRedacted, into: &buffer)
        let start = buffer.writerIndex
        buffer.writeString("\"id\":\"\(stamp.id)\",\"timestamp\":\(stamp.timestamp),\"seq\":\(seq),\"sender\":")
        buffer.writeImmutableBuffer(stamp.sender.json)
        buffer.writeString(",\"target_seq\":\(targetSeq),\"target_id\":\"\(targetID)\"")
        if let reason {
            buffer.writeStaticString(",\"reason\":")
            buffer.writeJSONString(reason)
        }
        buffer.writeStaticString("}")
        let end = buffer.writerIndex
        buffer.writeStaticString("\n")
        return start..<end
    }

    /// The tombstone of a message: its tail with `null` for the message.
    ///
    /// - Returns: `nil` if the bytes are not the tail of a message.
    package static func tombstone(of tail: ByteBuffer) -> ByteBuffer? {
        var frame = ByteBuffer(string: "{")
        frame.writeImmutableBuffer(tail)
        guard let message = JSONFields.range(of: "message", in: frame) else { return nil }
        var tombstone = ByteBuffer()
        tombstone.reserveCapacity(message.lowerBound + 22)
        // Not a slice: that would keep the text in memory.
        tombstone.writeBytes(frame.readableBytesView.dropFirst().prefix(message.lowerBound - 1))
        tombstone.writeStaticString("null,\"redacted\":true}")
        return tombstone
    }

    /// The text of a message, as JSON, from its tail.
    package static func text(ofTail tail: ByteBuffer) -> ByteBuffer? {
        var frame = ByteBuffer(string: "{")
        frame.writeImmutableBuffer(tail)
        return JSONFields.value(of: "message", in: frame)
    }

    /// The id of a message, from its tail.
    package static func id(ofTail tail: ByteBuffer) -> UniqueID? {
        var frame = ByteBuffer(string: "{")
        frame.writeImmutableBuffer(tail)
        return JSONFields.string(of: "id", in: frame).flatMap { UniqueID($0.utf8) }
    }

    /// The sender of a message, from its tail.
    package static func author(ofTail tail: ByteBuffer) -> Sender? {
        var frame = ByteBuffer(string: "{")
        frame.writeImmutableBuffer(tail)
        return JSONFields.value(of: "sender", in: frame).map { json in
            Sender(clientID: JSONFields.string(of: "client_id", in: frame).map { ClientID($0) }, json: json)
        }
    }

    /// The tail of a frame that `write` wrote between two indices, its newline included.
    package func tail(from start: Int, to end: Int, of buffer: ByteBuffer) -> ByteBuffer? {
        let place = start + self.headLength
        return buffer.getSlice(at: place, length: end - 1 - place)
    }
}
