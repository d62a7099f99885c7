import NIOCore
import NIOHTTP1
package import RoomDelivery
package import RoomModel

/// Posts to event streams: `POST /v3/events`, with the secret that the stream began with.
package struct EventsAPI: Sendable {
    private let posts: EventPosts
    private let limits: FrameLimits

    static let path = "/v3/events"

    package init(posts: EventPosts, limits: FrameLimits) {
        self.posts = posts
        self.limits = limits
    }

    static func isFor(_ request: HTTPRequest) -> Bool { request.path == Self.path }

    /// - Parameter handOver: called when the body goes to the session, which counts what waits.
    func respond(to request: HTTPRequest, handingOver handOver: () -> Void) async -> HTTPResponse {
        do throws(Problem) {
            switch request.method {
            case .OPTIONS:
                return .options(
                    for: request,
                    methods: Self.methods,
                    headers: "Authorization, Content-Type, Last-Event-ID, \(Self.secretName)"
                )
            case .POST: return try await self.post(request, handOver)
            default:
                throw Problem(
                    .methodNotAllowed,
                    .methodNotAllowed,
                    "\(request.method.rawValue) is not allowed here; GET opens an event stream, POST sends frames",
                    headers: ["Allow": Self.methods]
                )
            }
        } catch {
            return .failed(error)
        }
    }

    private static let methods = "GET, OPTIONS, POST"
    private static let secretName = "Roomline-Session"

    private func post(_ request: HTTPRequest, _ handOver: () -> Void) async throws(Problem) -> HTTPResponse {
        let secrets = request.headers[Self.secretName]
        guard let secret = secrets.first else {
            throw Problem(
                .badRequest,
                .missingField,
                "the header \(Self.secretName) is missing; the first event of the stream has its value"
            )
        }
        let form = try Self.form(request)
        let body = request.body
        if form == .frame, body.readableBytes > self.limits.line {
            throw Problem(.contentTooLarge, .lineTooLong, "a frame can have at most \(self.limits.line) bytes")
        }
        handOver()
        switch await self.posts.post(body, form, to: secret) {
        case .taken: return .done
        case .sessionEnded:
            throw Problem(
                .notFound,
                .unknownSession,
                "there is no event stream with this secret, or it has ended; open another one"
            )
        case .tooMany:
            throw Problem(
                .tooManyRequests,
                .tooManyRequests,
                "too many posts of this session wait; wait for an answer first",
                headers: ["Retry-After": "1"]
            )
        }
    }

    /// The form of the body by its `Content-Type`.
    private static func form(_ request: HTTPRequest) throws(Problem) -> EventPost.Form {
        let type = request.headers[field: "Content-Type"]?.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        switch type {
        case "application/json": return .frame
        case "application/jsonl", "application/x-ndjson", "application/ndjson": return .lines
        default:
            throw Problem(
                .unsupportedMediaType,
                .unsupportedMediaType,
                "the body is a frame, with Content-Type: application/json, or a frame a line, with application/jsonl"
            )
        }
    }
}
