package import NIOCore
import RoomModel

/// Writes the frames of a client (protocol, "frames"): the counterpart of ``BrokerFrameDecoder``. Each function appends one frame and
/// its newline. The JSON values in it have to be checked before, by ``FrameDecoder/value(_:)``.
package enum ClientFrameWriter {
    package static func write(_ frame: some Frame, callback: Int64?, into buffer: inout ByteBuffer) {
        Self.write(callback, into: &buffer) { $0.frame(frame) }
    }

    package static func ping(callback: Int64? = nil, into buffer: inout ByteBuffer) {
        Self.write(callback, into: &buffer) { $0.type(FrameType.ping) }
    }

    /// The answer to a ping of the broker's.
    package static func pong(into buffer: inout ByteBuffer) {
        Self.write(nil, into: &buffer) { $0.type(FrameType.pong) }
    }

    private static func write(
        _ callback: Int64?,
        into buffer: inout ByteBuffer,
        _ fields: (inout FrameWriter) -> Void
    ) {
        FrameWriter.writeUnstamped(into: &buffer) { frame in
            fields(&frame)
            if let callback { frame.field("callback", callback) }
        }
    }
}
