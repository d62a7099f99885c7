import NIOCore

/// The head of an HTTP/1 response (RFC 9112): what the answer to a request for a WebSocket needs of it.
struct HTTPResponseHead: Equatable {
    let status: Int
    /// The words behind the status; may be empty.
    let reason: String
    /// The names in lower case.
    private let fields: [String: [String]]

    /// - Parameter text: up to the empty line, without it; `nil` if that is no head.
    init?(_ text: String) {
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst() else { return nil }
        let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, Self.versions.contains(parts[0]), parts[1].utf8.count == 3,
            let status = Int(parts[1]), (100...999).contains(status)
        else { return nil }
        self.status = status
        self.reason = parts.count == 3 ? String(parts[2]) : ""
        var fields: [String: [String]] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
            let value = line[line.index(after: colon)...].trimmingBlanks
            fields[line[..<colon].lowercased(), default: []].append(value)
        }
        self.fields = fields
    }

    private static let versions: [Substring] = ["HTTP/1.1", "HTTP/1.0"]

    /// The field's value; `nil` if it is missing or repeated.
    func value(_ name: String) -> String? {
        guard let values = self.fields[name], values.count == 1 else { return nil }
        return values[0]
    }

    func has(_ name: String) -> Bool { self.fields[name] != nil }

    /// Whether the word is in the field's list.
    func lists(_ word: String, in name: String) -> Bool {
        (self.fields[name] ?? []).contains { list in
            list.split(separator: ",").contains { $0.trimmingBlanks.lowercased() == word }
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
