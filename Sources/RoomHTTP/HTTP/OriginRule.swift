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
    private static func isSame(_ origin: String, _ host: String?) -> Bool {
        guard let host = host.flatMap({ HTTPAuthority($0) }), let mark = origin.firstRange(of: "://"),
            let page = HTTPAuthority(origin[mark.upperBound...])
        else { return false }
        let port = origin.hasPrefix("https:") ? 443 : 80
        return page.host == host.host && (page.port ?? port) == (host.port ?? port)
    }
}
