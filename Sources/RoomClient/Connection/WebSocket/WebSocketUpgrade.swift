import Foundation
package import NIOCore
import RoomModel
import RoomWire

/// Asks an HTTP server for a WebSocket, and reads what it answers (RFC 6455 §4.1). Pure.
package struct WebSocketUpgrade {
    package enum Answer: Equatable {
        /// - Parameter rest: what came behind the head: the first frames.
        case opened(rest: ByteBuffer)
        case refused(UpgradeRefusal)
    }

    /// The head of an answer is no longer than this, and so is what is read of its body.
    static let longestAnswer = 16 * 1024

    package let request: ByteBuffer
    private let proof: String
    private var answer = ByteBuffer()
    /// The head of a refusal whose body has not come whole.
    private var refusal: HTTPResponseHead?

    package init(to address: BrokerAddress, path: String) {
        self.init(to: address, path: path, nonce: (0..<16).map { _ in .random(in: 0 ... .max) })
    }

    /// - Parameter nonce: 16 random bytes.
    init(to address: BrokerAddress, path: String, nonce: [UInt8]) {
        let key = Data(nonce).base64EncodedString()
        self.proof = Data(SHA1.proof(ofKey: key)).base64EncodedString()
        self.request = ByteBuffer(
            string: """
                GET \(path) HTTP/1.1\r
                Host: \(address.authority)\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: \(key)\r
                User-Agent: RoomClient\r
                \r\n
                """
        )
    }

    /// Takes what was read from the connection.
    ///
    /// - Returns: the answer; `nil` when more bytes are needed for it.
    package mutating func received(_ bytes: ByteBuffer) -> Answer? {
        self.answer.writeImmutableBuffer(bytes)
        if let refusal { return self.bodyOf(refusal, hasEnded: false) }
        while let text = self.readHead() {
            guard let head = HTTPResponseHead(text) else { return .refused(.noHTTP) }
            switch head.status {
            case 101: return self.check(head)
            case 100..<200: continue  // an interim response, the answer follows
            default:
                self.refusal = head
                return self.bodyOf(head, hasEnded: false)
            }
        }
        let isPossible = self.answer.readableBytes <= Self.longestAnswer && self.mayBeHTTP
        return isPossible ? nil : .refused(.noHTTP)
    }

    /// The connection has ended before there was an answer.
    ///
    /// - Returns: `nil` if nothing is known of why.
    package mutating func ended() -> UpgradeRefusal? {
        guard let refusal, case .refused(let error) = self.bodyOf(refusal, hasEnded: true) else { return nil }
        return error
    }

    private var mayBeHTTP: Bool {
        let start = self.answer.readableBytesView.prefix(Self.protocolName.count)
        return Self.protocolName.starts(with: start)
    }

    private mutating func readHead() -> String? {
        let bytes = self.answer.readableBytesView.prefix(Self.longestAnswer)
        guard let end = bytes.firstRange(of: Self.endOfHead) else { return nil }
        let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        self.answer.moveReaderIndex(to: end.upperBound)
        return text
    }

    private static let protocolName = Array("HTTP/1.".utf8)
    private static let endOfHead = Array("\r\n\r\n".utf8)

    private func check(_ head: HTTPResponseHead) -> Answer {
        guard head.lists("websocket", in: "upgrade"), head.lists("upgrade", in: "connection"),
            head.value("sec-websocket-accept") == self.proof
        else { return .refused(.noProof) }
        // neither is asked for
        guard !head.has("sec-websocket-extensions"), !head.has("sec-websocket-protocol") else {
            return .refused(.notAskedFor)
        }
        return .opened(rest: self.answer)
    }

    private func bodyOf(_ head: HTTPResponseHead, hasEnded: Bool) -> Answer? {
        // without a length only the end of the connection says where the body ends: that is not waited for
        let length = head.value("content-length").flatMap { Int($0) } ?? 0
        let expected = min(max(length, 0), Self.longestAnswer)
        guard hasEnded || self.answer.readableBytes >= expected else { return nil }
        let count = length > 0 ? min(expected, self.answer.readableBytes) : 0
        let body = self.answer.readableBytesView.prefix(count)
        return .refused(UpgradeRefusal(head, body: String(decoding: body, as: UTF8.self)))
    }
}
