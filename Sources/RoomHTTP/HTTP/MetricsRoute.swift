package import NIOCore
import NIOHTTP1

/// `/metrics`, for Prometheus.
package struct MetricsRoute: Sendable {
    private let access: MetricsAccess
    private let authorize: @Sendable (HTTPRequest, HTTPPeer) async throws -> Void
    private let text: @Sendable () async -> ByteBuffer

    /// - Parameters:
    ///   - authorize: throws a `Problem` unless the request has an admin token that may read.
    package init(
        access: MetricsAccess,
        authorize: @escaping @Sendable (HTTPRequest, HTTPPeer) async throws -> Void,
        text: @escaping @Sendable () async -> ByteBuffer
    ) {
        self.access = access
        self.authorize = authorize
        self.text = text
    }

    package func addRoutes(to routes: inout HTTPRoutes) {
        if self.access == .off { return }
        routes.on(.GET, "metrics") { request, context in
            if self.access == .token || !context.peer.isLocal { try await self.authorize(request, context.peer) }
            return HTTPResponse(
                status: .ok,
                headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                body: .bytes(await self.text())
            )
        }
    }
}

/// The callers that may read `/metrics`.
package enum MetricsAccess: String, CaseIterable, Sendable {
    /// This machine without a token, others with one.
    case local
    /// Whoever has an admin token with the scope `read`.
    case token
    /// Nobody: there is no such path.
    case off
}
