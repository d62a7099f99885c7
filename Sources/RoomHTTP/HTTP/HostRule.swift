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

/// The `host` or `host:port` of a Host header or an Origin.
struct HTTPAuthority: Equatable {
    /// In lower case, an IPv6 address without its brackets.
    let host: String
    let port: Int?

    /// `nil` where the text is no authority.
    init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        var rest = Substring(text)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            self.host = String(text[text.index(after: text.startIndex)..<end])
            rest = text[text.index(after: end)...]
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            self.host = String(text[..<end])
            rest = text[end...]
        }
        guard !self.host.isEmpty, self.host.utf8.allSatisfy(Self.isHostByte) else { return nil }
        if rest.isEmpty {
            self.port = nil
        } else {
            guard rest.hasPrefix(":"), rest.utf8.dropFirst().allSatisfy({ 0x30...0x39 ~= $0 }),
                let port = UInt16(rest.dropFirst())
            else { return nil }
            self.port = Int(port)
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
