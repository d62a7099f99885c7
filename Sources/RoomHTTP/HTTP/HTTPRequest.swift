import NIOCore
import NIOHTTP1
import RoomJSON
import RoomModel

/// One whole request.
package struct HTTPRequest: Sendable {
    let head: HTTPRequestHead
    /// Empty where the request has none.
    let body: ByteBuffer

    init(_ head: HTTPRequestHead, body: ByteBuffer? = nil) {
        var head = head
        // the parser leaves the blanks behind a value, which are no part of it (RFC 9110 §5.5)
        if head.headers.contains(where: { $0.value.endsInBlank }) {
            head.headers = HTTPHeaders(head.headers.map { ($0, $1.withoutBlanksBehind) })
        }
        self.head = head
        self.body = (body ?? ByteBuffer()).withoutByteOrderMark
    }

    var method: HTTPMethod { self.head.method }
    var headers: HTTPHeaders { self.head.headers }

    /// The path with its query, as it was sent.
    var target: String { self.head.uri }
    var path: Substring { self.target[..<self.pathEnd] }
    /// The part behind the `?`.
    var query: Substring { Substring(self.target.utf8[self.pathEnd...].dropFirst()) }

    private var pathEnd: String.Index { self.target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? self.target.endIndex }

    /// The header; the guard lets no more than one pass.
    var host: String? { self.headers.first(name: "Host") }
}

extension String {
    fileprivate var endsInBlank: Bool { self.utf8.last == UInt8(ascii: " ") || self.utf8.last == UInt8(ascii: "\t") }

    fileprivate var withoutBlanksBehind: String {
        var text = self
        while text.endsInBlank { text.removeLast() }
        return text
    }
}

extension HTTPHeaders {
    /// The `Idempotency-Key`, as the protocol's `message_id`; in quotes, as its draft has it, or bare.
    func idempotencyKey() throws(Problem) -> UniqueID? {
        guard let value = self[field: "Idempotency-Key"] else { return nil }
        let isQuoted = value.utf8.count > 2 && value.first == "\"" && value.last == "\""
        guard let id = UniqueID((isQuoted ? value.dropFirst().dropLast() : value[...]).utf8) else {
            throw .invalid("Idempotency-Key is \(value.shown): give one UUID")
        }
        return id
    }

    /// The value of a field; of one that is repeated, the list of all values (RFC 9110 §5.3). `nil`: it is missing.
    subscript(field name: String) -> String? {
        get {
            let values = self[name]
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            if let newValue { self.replaceOrAdd(name: name, value: newValue) } else { self.remove(name: name) }
        }
    }
}
