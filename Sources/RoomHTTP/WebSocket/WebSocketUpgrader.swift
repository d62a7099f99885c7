import NIOCore
import NIOHTTP1

/// Makes one HTTP connection a WebSocket: asks whether it may be one, answers 101, and has it leave HTTP. Bound to the
/// event loop of its connection.
final class WebSocketUpgrader {
    private let departure: HTTPDeparture
    private let admit: (HTTPRequest) throws(Problem) -> StreamPeer
    private let accept: (any Channel, StreamPeer) throws -> Void

    /// - Parameters:
    ///   - admit: gives the connection its place among the WebSockets, or says why there is none.
    ///   - accept: adds the handlers of the WebSocket.
    init(
        _ departure: HTTPDeparture,
        admit: @escaping (HTTPRequest) throws(Problem) -> StreamPeer,
        accept: @escaping (any Channel, StreamPeer) throws -> Void
    ) {
        self.departure = departure
        self.admit = admit
        self.accept = accept
    }

    /// - Parameter handler: the last handler of HTTP, which got the request.
    /// - Returns: why the connection stays as it is.
    func upgrade(
        _ request: HTTPRequest,
        proof: String,
        _ handler: HTTPRequestHandler,
        in channel: any Channel
    ) -> Problem? {
        let peer: StreamPeer
        do throws(Problem) {
            peer = try self.admit(request)
        } catch {
            return error
        }
        self.departure.leave(answering: Self.answer(proof), handler, in: channel) { [accept] channel in
            try accept(channel, peer)
        }
        return nil
    }

    private static func answer(_ proof: String) -> ByteBuffer {
        ByteBuffer(
            string: """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: \(proof)\r
                \r\n
                """
        )
    }
}
