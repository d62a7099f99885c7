import NIOCore
import NIOHTTP1

/// Tells a client that there is no place for it, and closes.
final class OverloadResponder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let problem: Problem
    private let isTLS: Bool

    init(_ problem: Problem, isTLS: Bool) {
        self.problem = problem
        self.isTLS = isTLS
    }

    func channelActive(context: ChannelHandlerContext) {
        // A handshake would cost what there is none of: a TLS client only sees its end.
        if !self.isTLS {
            let body = self.problem.messageBody
            let status = self.problem.status
            var answer = ByteBuffer(string: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
            for field in self.problem.headers { answer.writeString("\(field.name): \(field.value)\r\n") }
            answer.writeString(
                "connection: close\r\ncontent-type: application/json\r\ncontent-length: \(body.readableBytes)\r\n\r\n"
            )
            answer.writeImmutableBuffer(body)
            context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
        }
        context.close(promise: nil)
    }
}
