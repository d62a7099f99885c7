package import Hummingbird
import NIOCore

/// What a supervisor or a load balancer asks: `/health/live`, `/health/ready`, and both in `/health`. They need no token and
/// say nothing that one would protect.
package struct HealthRoutes: Sendable {
    private let drain: DrainSignal
    private let isWritable: @Sendable () -> Bool

    /// - Parameter isWritable: whether a message would be stored, as far as is known without a try.
    package init(drain: DrainSignal, isWritable: @escaping @Sendable () -> Bool) {
        self.drain = drain
        self.isWritable = isWritable
    }

    package func addRoutes(to routes: some RouterMethods<HTTPRequestContext>) {
        routes.get("health") { _, _ in self.answer() }
        routes.get("health/ready") { _, _ in self.answer() }
        // Who can answer lives: the event loop and the tasks are served.
        routes.get("health/live") { _, _ in Response.json(ByteBuffer(string: #"{"status":"ok"}"#)) }
    }

    private func answer() -> Response {
        let isWritable = self.isWritable()
        let isDraining = self.drain.isOn
        let isReady = isWritable && !isDraining
        let body = ByteBuffer(
            string: """
                {"status":"\(isReady ? "ok" : "unavailable")","checks":{"listening":\(!isDraining),"store":\(isWritable),\
                "draining":\(isDraining)}}
                """
        )
        return .json(body, status: isReady ? .ok : .serviceUnavailable)
    }
}
