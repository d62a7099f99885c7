import NIOCore
import NIOHTTP1
import RoomModel

/// Makes one HTTP connection an event stream: reads what the request is for, asks whether it may be one, and has the
/// connection leave HTTP unanswered. Bound to the event loop of its connection.
final class EventStreamOpener {
    private let departure: HTTPDeparture
    private let limits: FrameLimits
    private let date: () -> String
    private let count: @Sendable (HTTPResponseStatus) -> Void
    private let admit: (HTTPRequest) throws(Problem) -> StreamPeer
    private let accept: (any Channel, EventStreamRequest) throws -> Void

    /// - Parameters:
    ///   - date: for the header of that name.
    ///   - count: counts an answer that does not go by the handlers of HTTP.
    ///   - admit: gives the connection its place among the streams, or says why there is none.
    ///   - accept: answers the request, and adds the handlers of the stream.
    init(
        _ departure: HTTPDeparture,
        limits: FrameLimits,
        date: @escaping () -> String,
        count: @escaping @Sendable (HTTPResponseStatus) -> Void,
        admit: @escaping (HTTPRequest) throws(Problem) -> StreamPeer,
        accept: @escaping (any Channel, EventStreamRequest) throws -> Void
    ) {
        self.departure = departure
        self.limits = limits
        self.date = date
        self.count = count
        self.admit = admit
        self.accept = accept
    }

    func isFor(_ request: HTTPRequest) -> Bool { request.method == .GET && EventsAPI.isFor(request) }

    /// - Parameter handler: the last handler of HTTP, which got the request.
    /// - Returns: why there is no stream.
    func open(
        _ request: HTTPRequest,
        hasBody: Bool,
        _ handler: HTTPRequestHandler,
        in channel: any Channel
    ) -> Problem? {
        let stream: EventStreamRequest
        do throws(Problem) {
            guard !hasBody else { throw HTTPRequestCheck.malformed("a request for an event stream has no body") }
            let query = try EventStreamQuery(request.target)
            let room = try query.room(
                lastEventID: request.headers[field: "Last-Event-ID"],
                token: try Self.token(request),
                limits: self.limits
            )
            stream = EventStreamRequest(try self.admit(request), room: room, date: self.date(), count: self.count)
        } catch {
            return error
        }
        self.departure.leave(answering: nil, handler, in: channel) { [accept] channel in try accept(channel, stream) }
        return nil
    }

    private static func token(_ request: HTTPRequest) throws(Problem) -> String? {
        guard let authorization = request.headers[field: "Authorization"] else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem(
                .unauthorized,
                .tokenInvalid,
                "an event stream takes an access token: Authorization: Bearer TOKEN",
                headers: ["WWW-Authenticate": "Bearer"]
            )
        }
        return String(parts[1])
    }
}
