/// Who stands behind the proxies of an HTTP request, by its `X-Forwarded-For`.
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
