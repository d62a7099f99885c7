import Dispatch

/// Carries out calls that wait for the disk on a thread of their own, one after the other: neither on an event loop nor on
/// one of the few threads that tasks share.
struct Blocking: Sendable {
    private let queue: DispatchQueue

    init(label: String) {
        self.queue = DispatchQueue(label: label)
    }

    func run<Value: Sendable, Failure: Error>(
        _ call: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            self.queue.async {
                continuation.resume(returning: Result(catching: call))
            }
        }
        return try result.get()
    }
}
