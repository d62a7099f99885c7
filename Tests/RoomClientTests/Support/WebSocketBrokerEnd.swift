import Foundation
import NIOConcurrencyHelpers
import NIOCore
import RoomModel
import RoomTestKit
import RoomWire

@testable import RoomClient

/// The socket's place in the channel of a WebSocket: answers the request for it and reads the client's frames.
final class WebSocketBrokerEnd: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let asked: Inbox<AskedFrame>
    private let ends: NIOLockedValueBox<ChannelEnds>
    private let upgrade: String?
    private var framer = WebSocketFramer(role: .server, limits: FrameLimits())
    private var isOpen = false

    /// - Parameter upgrade: what the request is answered; `nil`: that the WebSocket is open.
    init(asked: Inbox<AskedFrame>, ends: NIOLockedValueBox<ChannelEnds>, upgrade: String?) {
        self.asked = asked
        self.ends = ends
        self.upgrade = upgrade
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = self.unwrapOutboundIn(data)
        if self.isOpen { self.read(bytes) } else { self.open(String(buffer: bytes), context) }
        promise?.succeed(())
    }

    private func open(_ request: String, _ context: ChannelHandlerContext) {
        guard request.hasSuffix("\r\n\r\n") else { return }
        self.isOpen = true
        self.ends.withLockedValue { $0.request = request }
        let (answer, pipeline) = (self.upgrade ?? Self.answer(request), context.pipeline)
        // in a turn of its own, as from a network
        context.eventLoop.execute {
            pipeline.fireChannelRead(ByteBuffer(string: answer))
            pipeline.fireChannelReadComplete()
        }
    }

    static func answer(_ request: String) -> String {
        let key = request.split(separator: "Sec-WebSocket-Key: ").last?.prefix { $0 != "\r\n" } ?? ""
        let proof = Data(SHA1.proof(ofKey: String(key))).base64EncodedString()
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(proof)\r\n\r\n"
    }

    private func read(_ bytes: ByteBuffer) {
        self.framer.append(bytes)
        while let event = self.framer.next() {
            switch event {
            case .message(let frame, isText: _):
                FrameDump.shared?.write(.client, String(buffer: frame))
                self.asked.add(AskedFrame(frame))
            case .close(let close): self.ends.withLockedValue { $0.close = close }
            case .failure(let fault): self.ends.withLockedValue { $0.faults.append(fault) }
            case .ping(let payload): self.ends.withLockedValue { $0.pongs.append("ping \(String(buffer: payload))") }
            case .pong: self.ends.withLockedValue { $0.pongs.append("pong") }
            case .fragment: break
            }
        }
    }
}
