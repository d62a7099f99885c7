import NIOConcurrencyHelpers

/// One suspended task and the answer it waits for. The first answer counts, be it the broker's or the cancellation.
final class Waiter<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Result<Value, RoomClientError>, Never>

    private enum State {
        case pending
        case waiting(Continuation)
        case answered(Result<Value, RoomClientError>)
        case done
    }

    private let state = NIOLockedValueBox(State.pending)

    func answer(_ result: Result<Value, RoomClientError>) {
        let continuation = self.state.withLockedValue { state -> Continuation? in
            switch state {
            case .pending:
                state = .answered(result)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .answered, .done: return nil
            }
        }
        continuation?.resume(returning: result)
    }

    /// Suspends until there is an answer. For one task.
    ///
    /// - Parameter onCancel: tells the other side that nobody waits any more.
    func wait(onCancel: @escaping @Sendable () -> Void = {}) async throws(RoomClientError) -> Value {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { self.suspend($0) }
        } onCancel: {
            self.answer(.failure(.cancelled))
            onCancel()
        }
        return try result.get()
    }

    private func suspend(_ continuation: Continuation) {
        let early = self.state.withLockedValue { state -> Result<Value, RoomClientError>? in
            if case .answered(let result) = state {
                state = .done
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }
}
