import NIOHTTP1
import RoomDelivery
import RoomModel

/// Whether a web page may call a channel.
enum OriginRule: Equatable {
    /// The request is not from a page of another site.
    case none
    /// A page may read the answer.
    case allowed(String)
    case refused

    /// - Parameters:
    ///   - page: the page that asks; other programs than browsers send no `Origin`, and neither does a mere GET.
    ///   - hasCredentials: the request brings a token or secret, or asks whether it may.
    init(_ page: WebPage?, origin: String?, channel: ChannelSettings, hasCredentials: Bool) {
        guard let page, let origin else {
            self = .none
            return
        }
        self = page.mayUse(channel, hasCredentials: hasCredentials) ? .allowed(origin) : .refused
    }
}

extension OriginRule {
    /// - Throws: `Problem` where it is `refused`.
    ///
    /// - Parameter isOnThisMachineOnly: nobody else can reach the broker.
    init(_ request: HTTPRequest, _ channel: ChannelSettings, isOnThisMachineOnly: Bool) throws(Problem) {
        let page = WebPage(request, isOnThisMachineOnly: isOnThisMachineOnly)
        let asked = request.headers[field: "Access-Control-Request-Headers"]?.lowercased() ?? ""
        self.init(
            page,
            origin: request.origin,
            channel: channel,
            hasCredentials: request.headers.contains(name: "Authorization")
                || request.method == .OPTIONS && asked.contains("authorization")
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

extension WebPage {
    /// The page that sends the request; `nil`: none.
    convenience init?(_ request: HTTPRequest, isOnThisMachineOnly: Bool) {
        let (origin, host) = (request.origin, request.host)
        self.init(origin: origin, host: host, isOnThisMachineOnly: isOnThisMachineOnly)
    }
}

extension HTTPRequest {
    fileprivate var origin: String? {
        let origins = self.headers["Origin"]
        return origins.count > 1 ? "null" : origins.first
    }

    /// Whether a browser has sent it. No page can have its browser leave all of these away; programs that open WebSockets send
    /// none of them, and odd origins: `http://websocket.org`. (Chromium sends no `Sec-Fetch-Site` with a WebSocket.)
    var isOfBrowser: Bool {
        self.headers.contains(name: "Accept-Language")
            || self.headers[field: "User-Agent"]?.hasPrefix("Mozilla/") ?? false
            || self.headers.contains(name: "Sec-Fetch-Site")
    }
}

extension HTTPResponse {
    /// The answer to `OPTIONS`, be it a browser's preflight or somebody's question.
    ///
    /// - Parameter headers: what pages of other origins may send.
    static func options(
        for request: HTTPRequest,
        methods: String,
        headers: String = "Authorization, Content-Type, Idempotency-Key"
    ) -> HTTPResponse {
        var response = HTTPResponse(status: .noContent, headers: ["Allow": methods])
        if request.headers.contains(name: "Access-Control-Request-Method") {
            response.headers[field: "Access-Control-Allow-Methods"] = methods
            response.headers[field: "Access-Control-Allow-Headers"] = headers
            response.headers[field: "Access-Control-Max-Age"] = "600"
        }
        return response
    }

    /// Lets pages of this origin read the answer.
    mutating func share(with page: String) {
        self.headers[field: "Access-Control-Allow-Origin"] = page
        self.headers[field: "Vary"] = "Origin"
        self.headers[field: "Access-Control-Expose-Headers"] = "Retry-After, WWW-Authenticate"
    }
}
