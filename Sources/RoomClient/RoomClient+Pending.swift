package import RoomModel

/// A request that was sent, and whose answer one task can wait for.
package struct Pending<Value: Sendable>: Sendable {
    private let wait: @Sendable () async throws(RoomClientError) -> Value

    init(_ wait: @escaping @Sendable () async throws(RoomClientError) -> Value) {
        self.wait = wait
    }

    /// Waits for the answer. If the task is cancelled, the client withdraws the request as far as that is possible.
    package func value() async throws(RoomClientError) -> Value {
        try await self.wait()
    }
}

/// For callers that are not `async`, such as the façade of another client's API. Requests that are started in order are sent in
/// order; calls of `async` functions from several tasks are not.
extension RoomClient {
    /// Connects, and keeps trying as if a request waited for the connection.
    package func startConnecting() {
        self.core.post { $0.stayConnected() }
    }

    /// The same as ``join(_:history:since:presence:)``.
    package func startJoining(_ room: String, history: Int, presence: Bool = true) -> Pending<Room<JSON>> {
        self.startJoining(room, of: JSON.self, history: history, since: nil, presence: presence)
    }

    /// The same as ``publish(_:to:)``.
    ///
    /// - Parameter messageID: `nil`: a new one.
    package func startPublishing(
        _ json: JSON,
        to room: String,
        messageID: UniqueID? = nil
    ) -> Pending<PublishReceipt> {
        self.startPublishing(json, to: RoomName(room), messageID: messageID)
    }

    /// The same as ``authenticate(_:)``.
    package func startAuthenticating(_ token: String) -> Pending<Void> {
        let waiter = Waiter<Void>()
        self.core.post { $0.session.authenticate(token, waiter: waiter) }
        return Pending { () throws(RoomClientError) in try await waiter.wait() }
    }
}
