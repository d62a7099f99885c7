import HTTPTypes
import Hummingbird
import RoomModel

extension OriginRule {
    /// - Throws: `Problem` where it is `refused`.
    init(_ request: Request, _ channel: ChannelSettings) throws(Problem) {
        let origins = request.headers[values: .origin]
        let asked = request.headers[.accessControlRequestHeaders]?.lowercased() ?? ""
        self.init(
            origin: origins.count > 1 ? "null" : origins.first,
            host: request.head.authority,
            channel: channel,
            hasCredentials: request.headers.contains(.authorization)
                || request.method == .options && asked.contains("authorization")
        )
        guard self != .refused else {
            throw Problem(
                .forbidden,
                .originRefused,
                "pages of this origin may not call the channel; list it in the channel's allowed origins"
            )
        }
    }
}

extension Response {
    /// What `OPTIONS` is answered, be it a browser's preflight or somebody's question.
    static func options(for request: Request, methods: String) -> Response {
        var response = Response(status: .noContent, headers: [.allow: methods])
        if request.headers.contains(.accessControlRequestMethod) {
            response.headers[.accessControlAllowMethods] = methods
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Idempotency-Key"
            response.headers[.accessControlMaxAge] = "600"
        }
        return response
    }

    /// Lets pages of this origin read the answer.
    mutating func share(with page: String) {
        self.headers[.accessControlAllowOrigin] = page
        self.headers[.vary] = "Origin"
        self.headers[.accessControlExposeHeaders] = "Retry-After, WWW-Authenticate"
    }
}
