package import Hummingbird
import NIOCore

/// `/metrics`, for Prometheus.
package struct MetricsRoute: Sendable {
    private let access: MetricsAccess
    private let authorize: @Sendable (Request, HTTPPeer) async throws -> Void
    private let render: @Sendable () async -> String

    /// - Parameters:
    ///   - authorize: throws a `Problem` unless the request has an admin token that may read.
    ///   - render: the text.
    package init(
        access: MetricsAccess,
        authorize: @escaping @Sendable (Request, HTTPPeer) async throws -> Void,
        render: @escaping @Sendable () async -> String
    ) {
        self.access = access
        self.authorize = authorize
        self.render = render
    }

    package func addRoutes(to routes: some RouterMethods<HTTPRequestContext>) {
        if self.access == .off { return }
        routes.get("metrics") { request, context in
            if self.access == .token || !context.peer.isLocal { try await self.authorize(request, context.peer) }
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: await self.render()))
            )
        }
    }
}

/// Who may read `/metrics`.
package enum MetricsAccess: String, CaseIterable, Sendable {
    /// This machine without a token, others with one.
    case local
    /// Whoever has an admin token with the scope `read`.
    case token
    /// Nobody: there is no such path.
    case off
}
