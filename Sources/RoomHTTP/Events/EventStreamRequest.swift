package import NIOCore
import NIOHTTP1
import RoomCore
package import RoomDelivery
import RoomJSON
package import RoomModel
import RoomWire

/// A request for an event stream that may be one, and how it is answered in HTTP.
package struct EventStreamRequest: Sendable {
    package let peer: StreamPeer
    /// The one room that the stream is for; `nil`: the client posts what it wants.
    package let room: EventStreamRoom?
    private let date: String
    /// Counts the answer.
    private let count: @Sendable (HTTPResponseStatus) -> Void

    init(
        _ peer: StreamPeer,
        room: EventStreamRoom?,
        date: String,
        count: @escaping @Sendable (HTTPResponseStatus) -> Void
    ) {
        self.peer = peer
        self.room = room
        self.date = date
        self.count = count
    }

    /// The head of the response where there is a stream; it is sent, and counts. Its body ends with the connection, so
    /// that the same bytes go to all who are in a room.
    package func head() -> ByteBuffer {
        self.count(.ok)
        return Self.head(
            .ok,
            ["content-type: text/event-stream", "cache-control: no-store", "x-accel-buffering: no"],
            self.peer,
            date: self.date
        )
    }

    /// The whole response where the session cannot be opened; it is sent, and counts.
    package func refusal(_ error: RequestError) -> ByteBuffer {
        let problem = Problem(error)
        self.count(problem.status)
        let body = problem.messageBody
        var fields = problem.headers.map { "\($0.name): \($0.value)" }
        fields += [
            "content-type: application/json", "content-length: \(body.readableBytes)", "cache-control: no-store",
        ]
        var response = Self.head(problem.status, fields, self.peer, date: self.date)
        response.writeImmutableBuffer(body)
        return response
    }

    private static func head(
        _ status: HTTPResponseStatus,
        _ fields: [String],
        _ peer: StreamPeer,
        date: String
    ) -> ByteBuffer {
        var lines = ["HTTP/1.1 \(status.code) \(status.reasonPhrase)"] + fields
        lines += ["connection: close", "x-content-type-options: nosniff", "date: \(date)"]
        // no cookie or other credential of a browser counts, so that any page may read what it could ask for by itself
        if let origin = peer.page?.origin { lines += ["access-control-allow-origin: \(origin)", "vary: Origin"] }
        return ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n")
    }
}

/// Takes a connection over that has asked for an event stream; called on its event loop. The pipeline is bare, except for
/// TLS, and nothing is answered yet.
package typealias EventStreamAcceptor = @Sendable (any Channel, EventStreamRequest) throws -> Void
