import HTTPTypes
import Hummingbird
import RoomModel

/// Whether a web page may call a channel.
enum OriginRule: Equatable {
    /// The request is not from a page of another site.
    case none
    /// A page may read the answer.
    case allowed(String)
    case refused

    /// - Parameters:
    ///   - origin: the `Origin` header; browsers send it with what is not a mere GET, and other programs do not.
    ///   - host: the `Host` header.
    ///   - hasCredentials: the request brings a token or secret, or asks whether it may.
    init(origin: String?, host: String?, channel: ChannelSettings, hasCredentials: Bool) {
        guard let origin else {
            self = .none
            return
        }
        if Self.isSame(origin, host) || channel.allowedOrigins.contains(origin) {
            self = .allowed(origin)
            return
        }
        let isOpen =
            switch channel.authentication {
            case .none: true
            case .optional: !hasCredentials
            case .required: false
            }
        self = isOpen || !channel.allowedOrigins.isEmpty ? .refused : .allowed(origin)
    }

    /// The page was loaded from where it calls. The scheme may differ: a proxy may have taken TLS off.
    static func isSame(_ origin: String, _ host: String?) -> Bool {
        guard let host = host.flatMap({ HTTPAuthority($0) }), let mark = origin.firstRange(of: "://"),
            let page = HTTPAuthority(origin[mark.upperBound...])
        else { return false }
        let port = origin.hasPrefix("https:") ? 443 : 80
        return page.host == host.host && (page.port ?? port) == (host.port ?? port)
    }
}

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
