/// The `host` or `host:port` of a Host header or an Origin.
package struct HTTPAuthority: Equatable, Sendable {
    /// In lower case, an IPv6 address without its brackets.
    package let host: String
    package let port: Int?

    /// `nil` where the text is no authority.
    package init?(_ text: some StringProtocol) {
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

    /// Whether it is a name or an address of this machine, whoever asks.
    package var isLoopback: Bool { self.host == "localhost" || IPAddress(self.host)?.isLoopback == true }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
