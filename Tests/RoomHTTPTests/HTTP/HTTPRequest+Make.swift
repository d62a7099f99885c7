import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

@testable import RoomHTTP

extension HTTPRequest {
    static func make(
        _ method: HTTPMethod = .GET,
        _ target: String,
        host: String? = nil,
        headers: HTTPHeaders = [:],
        body: String? = nil
    ) -> HTTPRequest {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
        if let host { head.headers.add(name: "Host", value: host) }
        return HTTPRequest(head, body: body.map { ByteBuffer(string: $0) })
    }
}

extension HTTPRequestContext {
    static func make(
        peer: HTTPPeer = HTTPPeer(transport: .tcp, address: nil, isLocal: true),
        drain: DrainSignal = DrainSignal()
    ) -> HTTPRequestContext {
        HTTPRequestContext(peer: peer, drain: drain, work: RequestWork())
    }
}

extension HTTPRoutes {
    func respond(to request: HTTPRequest, _ context: HTTPRequestContext = .make()) async throws -> HTTPResponse {
        var pattern = ""
        return try await self.respond(to: request, context, &pattern)
    }
}

extension HTTPResponse {
    /// The whole body.
    var text: String {
        get async throws {
            switch self.body {
            case .empty: return ""
            case .bytes(let bytes): return String(buffer: bytes)
            case .stream(_, let stream):
                let text = NIOLockedValueBox("")
                try await stream { part in text.withLockedValue { $0 += String(buffer: part) } }
                return text.withLockedValue(\.self)
            }
        }
    }
}
