import NIOCore
import NIOHTTP1

/// The questions of a supervisor or a load balancer: `/health/live`, `/health/ready`, and both in `/health`. They need
/// no token and say nothing that one would protect.
package struct HealthRoutes: Sendable {
    private let drain: DrainSignal
    private let isWritable: @Sendable () -> Bool
    private let warnings: @Sendable () -> [String]

    /// - Parameters:
    ///   - isWritable: whether messages and changes would be stored, as far as is known without a try.
    ///   - warnings: a word for each limit that is nearly reached.
    package init(
        drain: DrainSignal,
        isWritable: @escaping @Sendable () -> Bool,
        warnings: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.drain = drain
        self.isWritable = isWritable
        self.warnings = warnings
    }

    package func addRoutes(to routes: inout HTTPRoutes) {
        routes.on(.GET, "health") { _, _ in self.answer() }
        routes.on(.GET, "health/ready") { _, _ in self.answer() }
        // A broker that can answer lives: the event loop and the tasks are served.
        routes.on(.GET, "health/live") { _, _ in HTTPResponse.json(ByteBuffer(string: #"{"status":"ok"}"#)) }
    }

    private func answer() -> HTTPResponse {
        let isWritable = self.isWritable()
        let isDraining = self.drain.isOn
        let isReady = isWritable && !isDraining
        let words = self.warnings().map { "\"\($0)\"" }.joined(separator: ",")
        let warnings = words.isEmpty ? "" : ",\"warnings\":[\(words)]"
        let body = ByteBuffer(
            string: """
                {"status":"\(isReady ? "ok" : "unavailable")","checks":{"listening":\(!isDraining),"store":\(isWritable),\
                "draining":\(isDraining)}\(warnings)}
                """
        )
        return .json(body, status: isReady ? .ok : .serviceUnavailable)
    }
}
