/// A range of addresses as CIDR writes it, `10.0.0.0/8` or `2001:db8::/32`, or one single address.
package struct AddressRange: Hashable, Sendable {
    private let first: IPAddress
    /// Bits of the 128 that all addresses of the range share.
    package let prefix: Int

    /// Reads an address, or an address with `/` and its prefix; `nil` where it is neither, and where bits are set behind the
    /// prefix: `10.0.0.1/8` may have been meant as one address or as a network.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !text.utf8.contains(UInt8(ascii: "%")), let first = parts.first.flatMap({ IPAddress(String($0)) }) else {
            return nil
        }
        let isWrittenAsIPv4 = !parts[0].contains(":")
        let bits = isWrittenAsIPv4 ? 32 : 128
        guard let prefix = parts.count == 1 ? bits : DecimalNumber.read(parts[1].utf8, upTo: bits) else { return nil }
        self.first = first
        self.prefix = prefix + 128 - bits
        guard Self.masked(first, self.prefix) == first else { return nil }
    }

    /// The range of this prefix that an address is in; `nil` where an IPv4 address is in none.
    package init?(around address: IPAddress, prefix: Int) {
        guard !address.isIPv4 || prefix >= 96 else { return nil }
        self.first = Self.masked(address, prefix)
        self.prefix = prefix
    }

    /// IPv4 addresses are in no range of IPv6, `::/0` included.
    package func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == self.first.isIPv4 && Self.masked(address, self.prefix) == self.first
    }

    private static func masked(_ address: IPAddress, _ prefix: Int) -> IPAddress {
        // A shift by 64 or more gives 0.
        IPAddress(
            high: address.high & ~(UInt64.max >> UInt64(min(prefix, 64))),
            low: address.low & ~(UInt64.max >> UInt64(max(prefix - 64, 0)))
        )
    }
}

extension AddressRange: CustomStringConvertible {
    package var description: String {
        if self.prefix == 128 { return "\(self.first)" }
        return "\(self.first)/\(self.first.isIPv4 ? self.prefix - 96 : self.prefix)"
    }
}

extension [AddressRange] {
    package func contains(_ address: IPAddress) -> Bool {
        self.contains { $0.contains(address) }
    }
}

/// Finds the client behind the proxies of an HTTP request, by its `X-Forwarded-For`.
package enum ForwardedFor {
    /// - Parameters:
    ///   - headers: the values of all `X-Forwarded-For` fields, in the order in which they came.
    ///   - peer: who has connected; `nil` for a Unix socket.
    ///   - trusted: the proxies whose word is taken.
    /// - Returns: the right-most address that is no trusted proxy, for what stands left of it was written by strangers. The
    ///   peer itself where it is no trusted proxy or names nobody. Where the word of a trusted proxy cannot be read, that
    ///   proxy: its clients then share one address, which is better than to choose their own.
    package static func client(_ headers: [String], peer: IPAddress?, trusted: [AddressRange]) -> IPAddress? {
        guard var client = peer, trusted.contains(client) else { return peer }
        let entries = headers.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
        for entry in entries.reversed() {
            guard let address = self.address(entry) else { return client }
            client = address
            guard trusted.contains(address) else { return address }
        }
        return client
    }

    /// An address, some with a port: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
        let name = String(text)
        if let address = IPAddress(name) { return address }
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            guard self.isPort(name[name.index(after: end)...]) else { return nil }
            return IPAddress(String(name[name.index(after: name.startIndex)..<end]))
        }
        guard let colon = name.firstIndex(of: ":"), self.isPort(name[colon...]) else { return nil }
        return IPAddress(String(name[..<colon]))
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || (text.hasPrefix(":") && DecimalNumber.read(text.utf8.dropFirst(), upTo: 65_535) != nil)
    }
}
