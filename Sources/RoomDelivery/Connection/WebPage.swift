package import RoomModel

/// A web page that uses the broker, as its browser says: the one rule of which channels it may use, by whatever door.
package final class WebPage: Sendable {
    /// The `Origin` header.
    package let origin: String
    /// The `Host` header of the request.
    private let host: HTTPAuthority?
    private let isOnThisMachineOnly: Bool

    /// - Parameters:
    ///   - isOnThisMachineOnly: nobody else can reach the broker. A page is a stranger's, and its browser would bring it in.
    /// - Returns: `nil` where no page is named: not a browser.
    package init?(origin: String?, host: String?, isOnThisMachineOnly: Bool) {
        guard let origin else { return nil }
        self.origin = origin
        self.host = host.flatMap { HTTPAuthority($0) }
        self.isOnThisMachineOnly = isOnThisMachineOnly
    }

    static let refused = RequestError(
        .permissionDenied,
        "pages of this origin may not use the channel; list it in the channel's allowed origins"
    )

    /// A channel that lists origins is for their pages, and for those that come from where they connect to. One without a list is
    /// for all pages, unless it is open to everybody on this machine and to nobody else: then it is for those of this
    /// machine.
    package func mayUse(_ channel: ChannelSettings, hasCredentials: Bool) -> Bool {
        if self.isOwn || channel.allowedOrigins.contains(where: { $0 == self.origin || $0 == ChannelBounds.anyOrigin })
        {
            return true
        }
        guard channel.allowedOrigins.isEmpty else { return false }
        let isOpen =
            switch channel.authentication {
            case .none: true
            case .optional: !hasCredentials
            case .required: false
            }
        return !isOpen || !self.isOnThisMachineOnly || self.authority?.isLoopback ?? false
    }

    /// The page was loaded from where it calls. The scheme may differ: a proxy may have taken TLS off, and clients that are no
    /// browsers name the WebSocket's.
    var isOwn: Bool {
        guard let host, let page = self.authority else { return false }
        let port = ["https", "wss"].contains(self.scheme) ? 443 : 80
        return page.host == host.host && (page.port ?? port) == (host.port ?? port)
    }

    /// The same of a page that uses more than channels: it has to be one of the broker's own, and have come over TLS where the broker
    /// has it.
    package func isOwn(withTLS isTLS: Bool) -> Bool {
        self.isOwn && (self.scheme == "https" || !isTLS && self.scheme == "http")
    }

    private var scheme: Substring? { self.origin.firstRange(of: "://").map { self.origin[..<$0.lowerBound] } }

    private var authority: HTTPAuthority? {
        self.origin.firstRange(of: "://").flatMap { HTTPAuthority(self.origin[$0.upperBound...]) }
    }
}
