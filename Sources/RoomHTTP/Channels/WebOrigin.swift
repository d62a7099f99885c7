import RoomModel

/// The origin of a web page (RFC 6454 §6.2).
enum WebOrigin {
    /// The spelling of an origin that browsers send: in lower case, without a path, without the port of its scheme, with an
    /// address in its shortest form, and with the scheme of the page where somebody has given that of a WebSocket.
    ///
    /// - Returns: `nil` where the text is no origin.
    static func asSent(_ text: String) -> String? {
        let form = /([a-z][a-z0-9+.\-]*):\/\/([a-z0-9._\-]+|\[[0-9a-f:.]+\])(?::([0-9]*))?(?:[\/?#].*)?/
        guard text.utf8.count <= ChannelBounds.origin, let parts = text.lowercased().wholeMatch(of: form)?.output else {
            return nil
        }
        let scheme = Self.pages[String(parts.1)] ?? String(parts.1)
        guard let host = Self.host(parts.2) else { return nil }
        guard let digits = parts.3, !digits.isEmpty else { return "\(scheme)://\(host)" }
        guard let port = UInt16(digits) else { return nil }
        return port == Self.ports[scheme] ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    private static let pages = ["ws": "http", "wss": "https"]
    private static let ports: [String: UInt16] = ["http": 80, "https": 443]

    private static func host(_ text: Substring) -> String? {
        guard text.first == "[" else { return String(text) }
        guard let address = IPAddress(String(text.dropFirst().dropLast())) else { return nil }
        return address.isIPv4 ? String(text) : "[\(address)]"
    }
}
