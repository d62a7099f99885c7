import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Writes one answer from the task that makes it: with one hop to the event loop where the body is one buffer, otherwise
/// part by part, as fast as the peer takes them.
struct HTTPResponseWriter: ResponseBodyWriter {
    private let connection: NIOLoopBound<HTTPRequestHandler>
    private let eventLoop: any EventLoop
    private let length: Int?
    /// `nil` once it is written.
    private var head: HTTPResponseHead?
    /// The whole body, which is written with the head.
    private var whole: ByteBuffer?

    /// - Parameter version: that of the request.
    init(
        _ response: Response,
        version: HTTPVersion,
        to connection: NIOLoopBound<HTTPRequestHandler>,
        eventLoop: any EventLoop
    ) {
        self.connection = connection
        self.eventLoop = eventLoop
        self.length = response.body.contentLength
        self.head = HTTPResponseHead(response.head, version: version)
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        if self.head != nil, self.whole == nil, buffer.readableBytes == self.length {
            self.whole = buffer
            return
        }
        try await self.eventLoop.flatSubmit { [connection, eventLoop, head = self.head.take()] in
            connection.value.write(head, buffer) ?? eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }.get()
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        self.eventLoop.execute { [connection, head, whole, trailers = trailers.map(HTTPHeaders.init)] in
            connection.value.finish(head, whole, trailers)
        }
    }
}
