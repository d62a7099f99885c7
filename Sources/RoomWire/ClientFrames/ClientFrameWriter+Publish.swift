package import NIOCore
import RoomJSON
package import RoomModel

/// The frame that a busy client writes tens of thousands of each second.
extension ClientFrameWriter {
    package static func publish(_ request: PublishRequest, callback: Int64?, into buffer: inout ByteBuffer) {
        let roomSize = request.room.text.utf8.count * WriteCursor.longestEscape
        let size = Self.publishSize + roomSize + request.message.readableBytes
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
            guard var cursor = WriteCursor(bytes) else { return 0 }
            cursor.put("{\"type\":\"publish\",\"room\":")
            cursor.put(string: request.room.text)
            cursor.put(",\"message\":")
            cursor.put(request.message)
            if let id = request.messageID {
                cursor.put(",\"message_id\":\"")
                cursor.put(id)
                cursor.put(UInt8(ascii: "\""))
            }
            if request.isEphemeral { cursor.put(",\"ephemeral\":true") }
            if !request.echoes { cursor.put(",\"echo\":false") }
            if let callback {
                cursor.put(",\"callback\":")
                cursor.put(decimal: callback)
            }
            cursor.put("}\n")
            return cursor.count
        }
    }

    /// The keys and their punctuation, an id and a number of at most 20 digits.
    private static let publishSize = 180
}
