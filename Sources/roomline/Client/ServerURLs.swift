/// The URLs of a broker or of its nodes, with commas between.
struct ServerURLs: CustomStringConvertible {
    let first: String
    let others: [String]

    /// Reads URLs; a bare host will do for `tcp://`.
    ///
    /// - Returns: `nil` if one of them is empty.
    init?(_ text: String) {
        let urls = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let url = part.trimmingPrefix(while: \.isWhitespace)
            return url.contains("://") ? String(url) : "tcp://\(url)"
        }
        guard let first = urls.first, !urls.contains("tcp://") else { return nil }
        self.first = first
        self.others = Array(urls.dropFirst())
    }

    var all: [String] { [self.first] + self.others }

    var description: String { self.all.joined(separator: ", ") }
}
