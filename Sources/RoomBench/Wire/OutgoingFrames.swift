import NIOCore
import RoomModel
import RoomWire

/// The frames that the generator sends, as they go over the transport.
struct OutgoingFrames {
    private let isWebSocket: Bool
    private(set) var bytes = ByteBuffer()

    init(isWebSocket: Bool) {
        self.isWebSocket = isWebSocket
    }

    /// The reply to the handshake has the callback 0.
    mutating func handshake(channel: String, token: String?) {
        self.add {
            ClientFrameWriter.write(HandshakeRequest(channel: channel, token: token), callback: 0, into: &$0)
        }
    }

    /// The reply has the callback 1.
    mutating func subscribe(to room: RoomName) {
        self.add { ClientFrameWriter.write(SubscribeRequest(rooms: .one(room)), callback: 1, into: &$0) }
    }

    /// Asks for stored messages, of which a new room has none: the answer says whether the channel stores any.
    mutating func history(of room: RoomName) {
        let request = HistoryRequest(room: room, anchor: .newest, limit: 1)
        self.add { ClientFrameWriter.write(request, callback: Self.historyCallback, into: &$0) }
    }

    static let historyCallback: Int64 = 2

    /// - Parameter callback: `nil`: the publish is not acknowledged.
    mutating func publish(_ message: ByteBuffer, in room: RoomName, callback: Int64?) {
        let request = PublishRequest(room: room, message: message)
        self.add { ClientFrameWriter.publish(request, callback: callback, into: &$0) }
    }

    mutating func pong() {
        self.add { ClientFrameWriter.pong(into: &$0) }
    }

    /// Each line is a message of its own, without its newline.
    private mutating func add(_ write: (inout ByteBuffer) -> Void) {
        guard self.isWebSocket else { return write(&self.bytes) }
        WebSocketFrameWriter.write(.text, mask: Self.newMask(), into: &self.bytes) { payload in
            write(&payload)
            payload.moveWriterIndex(to: payload.writerIndex - 1)
        }
    }

    /// The answer to a ping of the WebSocket.
    static func pong(_ payload: ByteBuffer) -> ByteBuffer {
        var bytes = ByteBuffer()
        WebSocketFrameWriter.write(.pong, mask: self.newMask(), into: &bytes) { $0.writeImmutableBuffer(payload) }
        return bytes
    }

    /// The generator has nothing more to say.
    static func close() -> ByteBuffer {
        var bytes = ByteBuffer()
        WebSocketFrameWriter.write(.close, mask: self.newMask(), into: &bytes) {
            WebSocketClose(code: 1000).write(into: &$0)
        }
        return bytes
    }

    private static func newMask() -> WebSocketMask { WebSocketMask(key: .random(in: 0 ... .max)) }
}
