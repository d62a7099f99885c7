package import NIOCore
import RoomJSON
package import RoomModel

/// Writes `publish` and `history_message` frames: a head for the room and the kind, and a tail that both share.
///
///     {"type":"publish","room":"r",                      "id":…,"timestamp":…,"seq":…,"client_id":…,"sender":…,"message":…}
///     {"type":"history_message","index":0,"room":"r",    "id":… as above, the bytes that the store keeps
package struct PublishWriter: Equatable, Sendable {
    private let publishHead: ByteBuffer
    let roomField: ByteBuffer

    package init(room: RoomName) {
        var field = ByteBuffer(string: "\"room\":")
        field.writeJSONString(room.text)
        field.writeStaticString(",")
        self.roomField = field
        self.publishHead = ByteBuffer(string: "{\"type\":\"publish\",\(String(buffer: field))")
    }

    /// Appends a frame and its newline.
    ///
    /// - Returns: where its tail is in the buffer, as absolute indices.
    package func write(
        _ message: ByteBuffer,
        stamp: Stamp,
        seq: UInt64?,
        into buffer: inout ByteBuffer
    ) -> Range<Int> {
        let head = self.publishHead.readableBytes
        let idSize = stamp.sender.clientID?.text.utf8.count ?? 0
        let size = head + Self.fixedSize + idSize + stamp.sender.json.readableBytes + message.readableBytes
        let start = buffer.writerIndex
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
            guard var cursor = WriteCursor(bytes) else { return 0 }
            cursor.put(self.publishHead)
            Self.putTail(message, stamp, seq, into: &cursor)
            cursor.put(UInt8(ascii: "\n"))
            return cursor.count
        }
        return start + head..<buffer.writerIndex - 1
    }

    /// How many bytes a `publish` frame has before its tail.
    var headLength: Int { self.publishHead.readableBytes }

    /// Whether the frame that was written at this index is the message with this id.
    package func isMessage(_ id: UniqueID, at index: Int, of buffer: ByteBuffer) -> Bool {
        let field = "\"id\":\"\(id)\""
        let place = index + self.publishHead.readableBytes
        return buffer.getString(at: place, length: field.utf8.count) == field
    }

    /// The keys and their punctuation, the id and two numbers of at most 20 digits.
    private static let fixedSize = 160

    private static func putTail(
        _ message: ByteBuffer,
        _ stamp: Stamp,
        _ seq: UInt64?,
        into cursor: inout WriteCursor
    ) {
        cursor.putIDAndTime(stamp)
        if let seq {
            cursor.put(",\"seq\":")
            cursor.put(decimal: seq)
        }
        if let clientID = stamp.sender.clientID {
            cursor.put(",\"client_id\":\"")
            var text = clientID.text
            text.withUTF8 { cursor.put(UnsafeRawBufferPointer($0)) }
            cursor.put(UInt8(ascii: "\""))
        }
        cursor.put(",\"sender\":")
        cursor.put(stamp.sender.json)
        cursor.put(",\"message\":")
        cursor.put(message)
        cursor.put(UInt8(ascii: "}"))
    }

    /// Appends the frame of a stored tail, without a newline.
    package func writeStored(
        _ tail: ByteBuffer,
        as type: BrokerFrameType = .publish,
        into buffer: inout ByteBuffer
    ) {
        self.writeHead(type, into: &buffer)
        buffer.writeImmutableBuffer(tail)
    }

    /// All of a frame before its tail.
    func writeHead(_ type: BrokerFrameType, into buffer: inout ByteBuffer) {
        guard type != .publish else {
            buffer.writeImmutableBuffer(self.publishHead)
            return
        }
        buffer.writeStaticString("{\"type\":\"")
        buffer.writeStaticString(type.name)
        buffer.writeStaticString("\",")
        buffer.writeImmutableBuffer(self.roomField)
    }

    /// Appends the `history_message` frame of a stored tail, without a newline.
    package func writeHistory(_ tail: ByteBuffer, index: Int, into buffer: inout ByteBuffer) {
        buffer.writeStaticString("{\"type\":\"history_message\",\"index\":")
        buffer.writeDecimal(Int64(index))
        buffer.writeStaticString(",")
        buffer.writeImmutableBuffer(self.roomField)
        buffer.writeImmutableBuffer(tail)
    }
}

extension WriteCursor {
    /// `"id":…,"timestamp":…`
    mutating func putIDAndTime(_ stamp: Stamp) {
        self.put("\"id\":\"")
        self.put(stamp.id)
        self.put("\",\"timestamp\":")
        self.put(decimal: stamp.timestamp)
    }
}
