import Foundation
import RoomModel

/// Why a server that was asked for a WebSocket gave none.
package struct UpgradeRefusal: Error, Equatable {
    package let code: RoomClientError.Code
    package let text: String
    var retryAfter: Duration?
    /// Another attempt would end in the same way.
    var isFinal = false

    /// The other side speaks something else.
    static let noHTTP = UpgradeRefusal(
        code: .protocolViolation,
        text: "the server does not answer in HTTP: check the port, and whether the URL needs tcp:// in place of ws://"
    )

    static let noProof = UpgradeRefusal(
        code: .protocolViolation,
        text: "the server's answer does not belong to this request for a WebSocket: a proxy in between may have kept it"
    )

    static let notAskedFor = UpgradeRefusal(
        code: .protocolViolation,
        text: "the server has chosen an extension or a subprotocol of WebSocket that was not offered"
    )

    private init(code: RoomClientError.Code, text: String) {
        self.code = code
        self.text = text
    }

    init(_ head: HTTPResponseHead, body: String) {
        let details = Details(body)
        let known = details?.code.flatMap { Code(rawValue: $0) }
        self.code = known.map { RoomClientError.Code(rawValue: $0.rawValue) } ?? .connectionFailed
        self.isFinal = known.map { !$0.reconnects } ?? false
        self.retryAfter = Self.pause(head.value("retry-after"))
        let answer = "the server answers \(head.status)" + (head.reason.isEmpty ? "" : " \(head.reason)")
        let isPage = head.value("content-type")?.lowercased().hasPrefix("text/html") ?? false
        if (300..<400).contains(head.status), let place = head.value("location") {
            self.text = "\(answer) and points to \(Self.line(place)): redirects are not followed, give that address"
        } else if let words = details?.message ?? details?.detail ?? (isPage ? nil : body), !words.isEmpty {
            self.text = "\(answer) in place of a WebSocket: \(Self.line(words))"
        } else {
            self.text = "\(answer) in place of a WebSocket"
        }
    }

    /// The fields of the broker's errors.
    private struct Details: Decodable {
        let code: String?
        let message: String?
        let detail: String?

        init?(_ body: String) {
            guard let details = try? JSONDecoder().decode(Self.self, from: Data(body.utf8)) else { return nil }
            self = details
        }
    }

    /// A date is not asked for its distance: the pauses of the client are enough.
    private static func pause(_ value: String?) -> Duration? {
        value.flatMap { Int($0) }.map { .seconds(min(max($0, 0), Self.longestPause)) }
    }

    private static let longestPause = 86_400

    /// One line that a terminal can show.
    private static func line(_ text: String) -> String {
        let words = text.prefix(500).split { $0.isWhitespace || $0.isNewline }
        return words.joined(separator: " ").filter {
            !$0.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
    }
}

extension RoomClientError {
    init(_ refusal: UpgradeRefusal) {
        self.init(refusal.code, refusal.text, retryAfter: refusal.retryAfter)
    }
}
