package import NIOCore
package import RoomModel

/// Writes the frames of a client (protocol, "frames"): the counterpart of ``BrokerFrameDecoder``. Each function appends one frame and
/// its newline. The JSON values in it have to be checked before, by ``FrameDecoder/value(_:)``.
package enum ClientFrameWriter {
    package static func handshake(_ request: HandshakeRequest, callback: Int64, into buffer: inout ByteBuffer) {
        Self.write("handshake", callback, into: &buffer) { frame in
            frame.field("channel", request.channel)
            if let clientData = request.clientData { frame.field("client_data", json: clientData) }
            if let token = request.token { frame.field("token", token) }
            if request.resumable { frame.field("resumable", true) }
            if let resume = request.resume { frame.field("resume", resume) }
            if let heartbeat = request.heartbeat { frame.field("heartbeat", heartbeat) }
        }
    }

    package static func authenticate(token: String, callback: Int64, into buffer: inout ByteBuffer) {
        Self.write("authenticate", callback, into: &buffer) { $0.field("token", token) }
    }

    package static func update(clientData: ByteBuffer, callback: Int64?, into buffer: inout ByteBuffer) {
        Self.write("update", callback, into: &buffer) { $0.field("client_data", json: clientData) }
    }

    package static func ping(callback: Int64? = nil, into buffer: inout ByteBuffer) {
        Self.write("ping", callback, into: &buffer)
    }

    /// The answer to a ping of the broker's.
    package static func pong(into buffer: inout ByteBuffer) {
        Self.write("pong", nil, into: &buffer)
    }

    static func write(
        _ type: StaticString,
        _ callback: Int64?,
        into buffer: inout ByteBuffer,
        _ fields: (inout FrameWriter) -> Void = { _ in }
    ) {
        FrameWriter.writeUnstamped(into: &buffer) { frame in
            frame.field("type", type)
            fields(&frame)
            if let callback { frame.field("callback", callback) }
        }
    }
}
