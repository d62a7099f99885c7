package import NIOCore
import NIOHTTP1
import RoomModel

/// The rules for a request's head before anything acts on it. The parser refuses what is not HTTP; this refuses what two
/// servers could read in two ways (RFC 9112 §11.2), and what nobody sends here.
enum HTTPRequestCheck {
    /// Why the request is refused; `nil` where it is fine.
    static func fault(in head: HTTPRequestHead, limits: HTTPLimits) -> Problem? {
        self.targetFault(head, limits: limits) ?? self.hostFault(head) ?? self.bodyFault(head, limits: limits)
            ?? self.expectationFault(head)
    }

    private static func targetFault(_ head: HTTPRequestHead, limits: HTTPLimits) -> Problem? {
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            return self.malformed("the target of a request is a path that begins with /, not a URL")
        }
        guard head.uri.utf8.count <= limits.field else {
            return Problem(.uriTooLong, .fieldTooLarge, "a path and its query can have at most \(limits.field) bytes")
        }
        guard !head.uri.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7f || $0 == "#" }) else {
            return self.malformed("a path cannot have spaces, control characters or #; percent-encode them")
        }
        return nil
    }

    private static func hostFault(_ head: HTTPRequestHead) -> Problem? {
        let hosts = head.headers[canonicalForm: "host"]
        if hosts.count > 1 { return self.malformed("a request has one Host, not \(hosts.count)") }
        guard hosts.isEmpty, head.version != .http1_0 else { return nil }
        return self.malformed("a request has to have a Host")
    }

    private static func bodyFault(_ head: HTTPRequestHead, limits: HTTPLimits) -> Problem? {
        let codings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        if let coding = codings.first {
            guard lengths.isEmpty else {
                return self.malformed("a request has either Content-Length or Transfer-Encoding, not both")
            }
            guard codings.count == 1, coding.lowercased() == "chunked", head.version != .http1_0 else {
                return self.malformed("the only supported Transfer-Encoding is chunked, in HTTP/1.1")
            }
        }
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return self.malformed("a request has one Content-Length, which is a decimal number")
        }
        guard let bytes = Int(length), bytes <= limits.body else { return self.bodyTooLarge(limits) }
        return nil
    }

    private static func expectationFault(_ head: HTTPRequestHead) -> Problem? {
        guard let expectation = head.headers["expect"].first, expectation.lowercased() != "100-continue" else {
            return nil
        }
        return Problem(.expectationFailed, .malformedRequest, "the only supported Expect is 100-continue")
    }

    static func bodyTooLarge(_ limits: HTTPLimits) -> Problem {
        Problem(.contentTooLarge, .messageTooLarge, "a body can have at most \(limits.body) bytes")
    }

    static func malformed(_ text: String) -> Problem {
        Problem(.badRequest, .malformedRequest, text)
    }
}

extension Problem {
    /// The refusal of input that the parser stumbled over.
    init(parserError: HTTPParserError, limits: HTTPLimits) {
        switch parserError {
        case .headerOverflow:
            self.init(
                .requestHeaderFieldsTooLarge,
                .fieldTooLarge,
                "a request can have \(limits.fieldCount) header fields of \(limits.fields) bytes, each of \(limits.field)"
            )
        default:
            self = HTTPRequestCheck.malformed("this is not a valid HTTP request (RFC 9112): \(parserError)")
        }
    }
}

/// The most that one HTTP connection may take of the broker. Sizes in bytes.
package struct HTTPLimits: Equatable, Sendable {
    /// The path with its query, and each header field.
    package var field = 16 * 1024
    /// All header fields of a request.
    package var fields = 32 * 1024
    package var fieldCount = 100
    /// The largest that any route takes: it is held before anybody knows who sends it.
    package var body = 256 * 1024
    /// From the first byte of a request to the end of its header.
    package var headerTime = TimeAmount.seconds(10)
    /// From the end of its header to the end of its body.
    package var bodyTime = TimeAmount.seconds(30)
    /// Until a connection without a request is closed.
    package var idleTime = TimeAmount.seconds(60)
    /// How long a peer that is refused is listened to, so that it gets to read why.
    package var lingerTime = TimeAmount.seconds(1)
}
