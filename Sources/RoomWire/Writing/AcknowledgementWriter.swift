package import NIOCore
import RoomJSON
package import RoomModel

/// Writes the answer to a publish (protocol §2), which a client with acknowledged publishes gets for each.
package enum AcknowledgementWriter {
    /// Appends the frame and its newline. `seq` is `nil` for an ephemeral message.
    package static func write(
        callback: Int64,
        seq: UInt64?,
        isDuplicate: Bool,
        stamp: Stamp,
        into buffer: inout ByteBuffer
    ) {
        let size = Self.fixedSize + stamp.sender.json.readableBytes
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
            guard var cursor = WriteCursor(bytes) else { return 0 }
            cursor.put("{\"callback\":")
            cursor.put(decimal: callback)
            if let seq {
                cursor.put(",\"seq\":")
                cursor.put(decimal: seq)
            }
            if isDuplicate { cursor.put(",\"duplicate\":true") }
            cursor.put(UInt8(ascii: ","))
            cursor.putIDAndTime(stamp)
            cursor.put(",\"sender\":")
            cursor.put(stamp.sender.json)
            cursor.put("}\n")
            return cursor.count
        }
    }

    /// The keys and their punctuation, the id and three numbers of at most 20 digits.
    private static let fixedSize = 200
}
