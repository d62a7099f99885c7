package import NIOCore
import RoomModel
package import RoomWire

/// A test's side of a WebSocket: it masks what it sends, and keeps what it receives beside text messages.
package final class TestWebSocket {
    /// An answer of the broker may be longer than what it takes in one frame.
    private var framer = WebSocketFramer(role: .client, limits: TestWebSocket.limits)
    private var random = SeededRandom(seed: 1)
    /// Pings, pongs, the Close, and what is not a frame of a server. Text messages are given by `TestConnection`.
    package private(set) var events: [WebSocketFramer.Event] = []

    private static var limits: FrameLimits {
        var limits = FrameLimits()
        limits.line = limits.endlessLine
        return limits
    }

    /// Takes the events that were received and not taken yet.
    package func takeEvents() -> [WebSocketFramer.Event] {
        defer { self.events = [] }
        return self.events
    }

    package func message(_ text: String) -> ByteBuffer { self.frame(.text) { $0.writeString(text) } }

    package func frame(_ opcode: WebSocketOpcode, _ payload: (inout ByteBuffer) -> Void = { _ in }) -> ByteBuffer {
        var bytes = ByteBuffer()
        let mask = WebSocketMask(key: UInt32(truncatingIfNeeded: self.random.next()))
        WebSocketFrameWriter.write(opcode, mask: mask, into: &bytes, payload: payload)
        return bytes
    }

    func messages(in bytes: ByteBuffer) -> [String] {
        self.framer.append(bytes)
        var texts: [String] = []
        while let event = self.framer.next() {
            if case .message(let message, isText: true) = event {
                texts.append(String(buffer: message))
            } else {
                self.events.append(event)
            }
        }
        return texts
    }
}
