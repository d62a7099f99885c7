package import NIOCore
package import NIOHTTP1

/// The answer to one request.
package struct HTTPResponse: Sendable {
    /// Writes one part of a body, and returns when the peer takes more. Throws if the peer has gone.
    package typealias Write = @Sendable (ByteBuffer) async throws -> Void
    /// Writes a body part by part. The body ends when it returns; if it throws, the connection is cut off, so that the peer
    /// sees that something is missing.
    package typealias Stream = @Sendable (Write) async throws -> Void

    package enum Body: Sendable {
        case empty
        case bytes(ByteBuffer)
        /// - Parameter length: in bytes; `nil`: as many as there will be.
        case stream(length: Int? = nil, Stream)

        /// Bytes, where they are known.
        var length: Int? {
            switch self {
            case .empty: 0
            case .bytes(let bytes): bytes.readableBytes
            case .stream(let length, _): length
            }
        }
    }

    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders
    let body: Body

    init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
        if let length = body.length, !headers.contains(name: "Content-Length") {
            self.headers.add(name: "Content-Length", value: "\(length)")
        }
    }

    /// The answer to a HEAD: the headers of the answer to GET, also where they name no length (RFC 9110 §9.3.2). Then the
    /// connection ends behind them, because SwiftNIO would write the end of a body in chunks.
    var withoutBody: HTTPResponse {
        guard case .stream(nil, _) = self.body else { return HTTPResponse(status: self.status, headers: self.headers) }
        let headers = HTTPHeaders(self.headers + [("Connection", "close")])
        let body = Body.stream { write in
            try await write(ByteBuffer())
            throw ChannelError.eof
        }
        return HTTPResponse(status: self.status, headers: headers, body: body)
    }

    /// - Parameter version: that of the request. A client of HTTP/1.0 gets no chunks, which it does not know
    ///   (RFC 9112 §6.1).
    func head(_ version: HTTPVersion) -> HTTPResponseHead {
        HTTPResponseHead(version: version == .http1_0 ? version : .http1_1, status: self.status, headers: self.headers)
    }
}

extension HTTPResponseStatus {
    /// 413, by the name that RFC 9110 has for it.
    static let contentTooLarge = Self.custom(code: 413, reasonPhrase: "Content Too Large")
}
