package import NIOCore

/// How long a test waits for what has to come: far above what anything takes, so that a test which passes never waits for it.
package enum Patience {
    package static let limit = TimeAmount.seconds(60)

    package struct Exhausted: Error, CustomStringConvertible {
        package let description: String
    }

    /// Waits for what somebody else brings about.
    ///
    /// - Parameter details: said when it does not come.
    package static func wait<Value: Sendable>(
        for promise: EventLoopPromise<Value>,
        _ what: String,
        details: @escaping @Sendable () -> [String] = { [] }
    ) async throws -> Value {
        let timeout = promise.futureResult.eventLoop.scheduleTask(in: self.limit) {
            let text = (["waited \(self.limit.nanoseconds / 1_000_000_000) s for \(what)"] + details()).joined(
                separator: "\n"
            )
            promise.fail(Exhausted(description: text))
        }
        defer { timeout.cancel() }
        return try await promise.futureResult.get()
    }
}
