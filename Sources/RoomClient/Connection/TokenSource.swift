import NIOCore

/// The source of a client's access token.
public enum TokenSource: Sendable {
    /// The client shows no token.
    case none
    /// One token for the handshakes of all connections. It has no `client` claim, because the client has no id before it connects.
    /// After it has expired, the client cannot reconnect; use a provider to avoid that.
    case fixed(String)
    /// Called for each connection when its client id is known, and when a token has expired.
    case provider(RoomClient.TokenProvider)
}

extension TokenSource {
    /// The token for the handshake.
    var known: String? {
        if case .fixed(let token) = self { token } else { nil }
    }

    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether the next answer may be another token than the last.
    var canRenew: Bool {
        if case .provider = self { true } else { false }
    }
}

/// The calls of the app's token provider that have not returned. Confined to the client's event loop.
final class TokenRequests {
    private let loop: any EventLoop
    /// Cancelled ones stay here until they have returned.
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    private var last: UInt64 = 0

    init(loop: any EventLoop) {
        self.loop = loop
    }

    var all: [Task<Void, Never>] { Array(self.tasks.values) }

    /// The connection that they were for has ended.
    func cancelAll() {
        for task in self.tasks.values { task.cancel() }
    }

    /// - Parameter handler: called on the event loop; not after ``cancelAll()``.
    func ask(
        _ provider: @escaping RoomClient.TokenProvider,
        for clientID: String,
        handler: @escaping (Result<String, RoomClientError>) -> Void
    ) {
        self.last += 1
        let (loop, number) = (self.loop, self.last)
        let bound = NIOLoopBound((requests: self, handler: handler), eventLoop: loop)
        self.tasks[number] = Task {
            let result: Result<String, RoomClientError>
            do {
                result = .success(try await provider(clientID))
            } catch {
                let text = "the token provider failed: \(ErrorReason.text(error))"
                result = .failure(RoomClientError(.tokenProviderFailed, text, cause: error))
            }
            loop.execute {
                let task = bound.value.requests.tasks.removeValue(forKey: number)
                // Only here it is certain that the connection that needs the token is still the present one.
                guard let task, !task.isCancelled else { return }
                bound.value.handler(result)
            }
        }
    }
}
