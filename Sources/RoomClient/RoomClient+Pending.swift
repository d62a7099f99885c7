import RoomModel

/// A request that is on its way and whose answer can be waited for, once.
package struct Pending<Value: Sendable>: Sendable {
    private let wait: @Sendable () async throws(RoomClientError) -> Value

    init(_ wait: @escaping @Sendable () async throws(RoomClientError) -> Value) {
        self.wait = wait
    }

    /// Suspends until there is an answer. A cancelled task takes the request back, as far as that is possible.
    package func value() async throws(RoomClientError) -> Value {
        try await self.wait()
    }
}

/// For callers that are not `async`, such as a façade of another client's API: what is started in order is asked in order,
/// which calls of `async` functions from several tasks are not.
extension RoomClient {
    /// Connects, and keeps trying as if something waited for the connection.
    package func startConnecting() {
        self.core.post { $0.stayConnected() }
    }

    /// As ``join(_:history:since:)``.
    package func startJoining(_ room: String, history: Int) -> Pending<Room<JSON>> {
        self.startJoining(room, of: JSON.self, history: history, since: nil)
    }

    /// As ``publish(_:to:)``.
    package func startPublishing(_ json: JSON, to room: String) -> Pending<PublishReceipt> {
        self.startPublishing(json, to: RoomName(room))
    }

    /// As ``authenticate(_:)``.
    package func startAuthenticating(_ token: String) -> Pending<Void> {
        let waiter = Waiter<Void>()
        self.core.post { $0.authenticate(token, waiter: waiter) }
        return Pending { () throws(RoomClientError) in try await waiter.wait() }
    }
}
