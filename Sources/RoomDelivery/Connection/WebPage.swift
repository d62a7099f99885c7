import RoomModel

/// The web page that has opened a connection, as its browser says.
package final class WebPage: Sendable {
    /// The `Origin` header.
    private let origin: String
    /// The `Host` header of the request.
    private let host: String?

    /// - Returns: `nil` where no page is named: not a browser.
    package init?(origin: String?, host: String?) {
        guard let origin else { return nil }
        self.origin = origin
        self.host = host
    }

    static let refused = RequestError(
        .permissionDenied,
        "pages of this origin may not use the channel; list it in the channel's allowed origins"
    )

    /// A channel that lists origins is for their pages, and for those that come from where they connect to. The scheme may
    /// differ: a proxy may have taken TLS off.
    func mayUse(_ channel: ChannelSettings) -> Bool {
        channel.allowedOrigins.isEmpty || channel.allowedOrigins.contains(self.origin) || self.isOfHost
    }

    private var isOfHost: Bool {
        guard let host, let mark = self.origin.firstRange(of: "://") else { return false }
        let scheme = self.origin[..<mark.lowerBound].lowercased()
        let port = scheme == "https" || scheme == "wss" ? ":443" : ":80"
        return Self.withPort(self.origin[mark.upperBound...], port) == Self.withPort(host[...], port)
    }

    private static func withPort(_ authority: Substring, _ port: String) -> String {
        let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        return authority[end...].contains(":") ? authority.lowercased() : authority.lowercased() + port
    }
}
