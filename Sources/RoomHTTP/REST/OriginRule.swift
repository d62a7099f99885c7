import HTTPTypes
import Hummingbird
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
    init(_ request: Request, _ channel: ChannelSettings, isOnThisMachineOnly: Bool) throws(Problem) {
        let page = WebPage(request, isOnThisMachineOnly: isOnThisMachineOnly)
        let asked = request.headers[.accessControlRequestHeaders]?.lowercased() ?? ""
        self.init(
            page,
            origin: request.origin,
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

extension WebPage {
    /// The page that sends the request; `nil`: none.
    convenience init?(_ request: Request, isOnThisMachineOnly: Bool) {
        let (origin, host) = (request.origin, request.head.authority)
        self.init(origin: origin, host: host, isOnThisMachineOnly: isOnThisMachineOnly)
    }
}

extension Request {
    fileprivate var origin: String? {
        let origins = self.headers[values: .origin]
        return origins.count > 1 ? "null" : origins.first
    }

    /// Whether a browser has sent it. No page can have its browser leave all of these away; programs that open WebSockets send
    /// none of them, and odd origins: `http://websocket.org`. (Chromium sends no `Sec-Fetch-Site` with a WebSocket.)
    var isOfBrowser: Bool {
        self.headers.contains(.acceptLanguage) || self.headers[.userAgent]?.hasPrefix("Mozilla/") ?? false
            || HTTPField.Name.fetchSite.map { self.headers.contains($0) } ?? false
    }
}

extension Response {
    /// The answer to `OPTIONS`, be it a browser's preflight or somebody's question.
    ///
    /// - Parameter headers: what pages of other origins may send.
    static func options(
        for request: Request,
        methods: String,
        headers: String = "Authorization, Content-Type, Idempotency-Key"
    ) -> Response {
        var response = Response(status: .noContent, headers: [.allow: methods])
        if request.headers.contains(.accessControlRequestMethod) {
            response.headers[.accessControlAllowMethods] = methods
            response.headers[.accessControlAllowHeaders] = headers
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
