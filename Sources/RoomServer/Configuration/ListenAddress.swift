import NIOCore

/// A `HOST:PORT` to listen on. The host is a name or a numeric address, an IPv6 one without its brackets.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    /// 0: the kernel picks one.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `name:port`, `1.2.3.4:port` or `[::1]:port`; anything else is `nil`.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            return nil
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            let address = String(host.dropFirst().dropLast())
            guard address.contains(":"), Self.isNumeric(address) else { return nil }
            self.init(host: address, port: port)
        } else {
            guard Self.isName(host) else { return nil }
            self.init(host: String(host), port: port)
        }
    }

    /// Only this machine can reach it. A name other than `localhost` may lead anywhere, so it does not count.
    var isLoopback: Bool {
        if self.host.lowercased() == "localhost" { return true }
        guard let address = try? SocketAddress(ipAddress: self.host, port: 0) else { return false }  // a name
        switch address {
        case .v4: return self.host.hasPrefix("127.")
        case .v6: return address == (try? SocketAddress(ipAddress: "::1", port: 0))
        case .unixDomainSocket: return false
        }
    }

    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt16(text).map(Int.init)
    }

    private static func isNumeric(_ host: String) -> Bool {
        // It throws where the text is not an address: then it is none.
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// A host name (RFC 1123: letters, digits, hyphens and dots) or an IPv4 address.
    private static func isName(_ host: Substring) -> Bool {
        guard !host.isEmpty, !host.hasPrefix("-"), host.utf8.allSatisfy(self.isNameByte) else { return false }
        // A host without a letter is meant as an address.
        let hasLetter = host.utf8.contains { $0 >= UInt8(ascii: "A") }
        return hasLetter || self.isNumeric(String(host))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
