package import Hummingbird
import NIOCore

/// What a supervisor or a load balancer asks: `/health/live`, `/health/ready`, and both in `/health`. They need no token and
/// say nothing that one would protect.
package struct HealthRoutes: Sendable {
    private let store: StoreProbe
    private let drain: DrainSignal

    /// - Parameter isWritable: tries a write into the store.
    package init(
        drain: DrainSignal,
        uptime: @escaping @Sendable () -> UInt64,
        isWritable: @escaping @Sendable () async -> Bool
    ) {
        self.drain = drain
        self.store = StoreProbe(uptime: uptime, probe: isWritable)
    }

    package func addRoutes(to routes: some RouterMethods<HTTPRequestContext>) {
        routes.get("health") { _, _ in await self.answer() }
        routes.get("health/ready") { _, _ in await self.answer() }
        // Who can answer lives: the event loop and the tasks are served.
        routes.get("health/live") { _, _ in Response.json(ByteBuffer(string: #"{"status":"ok"}"#)) }
    }

    private func answer() async -> Response {
        let isWritable = await self.store.isWritable()
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

/// Asks the store at most once a second, whoever asks how often: each question is a write.
private actor StoreProbe {
    private let uptime: @Sendable () -> UInt64
    private let probe: @Sendable () async -> Bool
    private var asked: UInt64?
    private var answer: Task<Bool, Never>?

    private static let validity: UInt64 = 1_000_000_000

    init(uptime: @escaping @Sendable () -> UInt64, probe: @escaping @Sendable () async -> Bool) {
        self.uptime = uptime
        self.probe = probe
    }

    func isWritable() async -> Bool {
        let now = self.uptime()
        if let answer, let asked, now < asked + Self.validity { return await answer.value }
        let answer = Task { [probe] in await probe() }
        self.asked = now
        self.answer = answer
        return await answer.value
    }
}
