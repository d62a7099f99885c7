import Dispatch
import NIOConcurrencyHelpers

/// Has those who change the same thing do so one after the other, in the order in which they asked.
///
/// An actor alone does not: another call comes in wherever one waits for the disk.
final class TurnQueue<Key: Hashable & Sendable>: Sendable {
    /// Those who wait, for each key that somebody has the turn of.
    private let waiting = NIOLockedValueBox<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Returns once it is the caller's turn; `pass` has to follow.
    func take(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = self.waiting.withLockedValue { waiting in
                if waiting[key] == nil {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func pass(_ key: Key) {
        let next = self.waiting.withLockedValue { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}

/// The key of what has one turn in all.
struct WholeControlFile: Hashable, Sendable {}

extension TurnQueue where Key == WholeControlFile {
    func take() async { await self.take(WholeControlFile()) }

    func pass() { self.pass(WholeControlFile()) }
}

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
