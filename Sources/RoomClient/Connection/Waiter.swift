import NIOConcurrencyHelpers

/// One suspended task and the answer it waits for. The first answer counts, be it the broker's or the cancellation.
///
/// The task is woken to fetch the answer, not given it: of what a continuation hands over the ThreadSanitizer does not see
/// that it was written before it is read, where the answer comes in the moment in which the task suspends (Swift 6.3).
final class Waiter<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Void, Never>

    private enum State {
        case pending
        case waiting(Continuation)
        case answered(Result<Value, RoomClientError>)
    }

    private let state = NIOLockedValueBox(State.pending)

    func answer(_ result: Result<Value, RoomClientError>) {
        let continuation = self.state.withLockedValue { state -> Continuation? in
            switch state {
            case .pending:
                state = .answered(result)
                return nil
            case .waiting(let continuation):
                state = .answered(result)
                return continuation
            case .answered: return nil
            }
        }
        continuation?.resume()
    }

    /// Suspends until there is an answer. For one task.
    ///
    /// - Parameter onCancel: tells the other side that nobody waits any more.
    func wait(onCancel: @escaping @Sendable () -> Void = {}) async throws(RoomClientError) -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { self.suspend($0) }
        } onCancel: {
            self.answer(.failure(.cancelled))
            onCancel()
        }
        return try self.result.get()
    }

    private func suspend(_ continuation: Continuation) {
        let isAnswered = self.state.withLockedValue { state in
            if case .answered = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isAnswered { continuation.resume() }
    }

    private var result: Result<Value, RoomClientError> {
        self.state.withLockedValue { state in
            // Nothing else wakes the task.
            if case .answered(let result) = state { result } else { .failure(.cancelled) }
        }
    }
}
