import RoomModel

/// Under which names the broker may be called where it listens on loopback.
///
/// A page of any site can let its own name lead to 127.0.0.1 (DNS rebinding), and the browser takes the broker for that
/// site then. The name that the page was called by still stands in `Host`.
package struct HostRule: Equatable, Sendable {
    private let names: Set<String>
    private let isOff: Bool

    private init(names: Set<String>, isOff: Bool) {
        self.names = names
        self.isOff = isOff
    }

    /// Any name: the address can be reached from elsewhere, so it may have any.
    package static let any = HostRule(names: [], isOff: true)

    /// `localhost`, `127.0.0.0/8`, `[::1]`, and these names, under which a proxy on this machine passes requests on.
    package static func loopback(and names: [String] = []) -> HostRule {
        HostRule(names: Set(names.map { $0.lowercased() }).union(["localhost"]), isOff: false)
    }

    /// - Parameter host: the header; `nil` where there is none, as in HTTP/1.0, which no browser speaks.
    package func allows(_ host: String?) -> Bool {
        guard !self.isOff, let host else { return true }
        guard let name = HTTPAuthority(host)?.host else { return false }
        return self.names.contains(name) || IPAddress(name)?.isLoopback == true
    }
}
