import Foundation

/// A value behind a lock, for what is asked and told on any thread.
///
/// It takes values that are not `Sendable`, so that weak references to an app's delegates can be kept in it: they are set on
/// the app's threads and used on the queue that the app has chosen, so whether that is safe is the app's to know, as with any
/// delegate. An `NSLock`, because the ThreadSanitizer understands no `Mutex` on Linux.
final class Guarded<Value>: Sendable {
    private let lock = NSLock()
    /// Used with the lock held only.
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        self.lock.withLock { body(&self.value) }
    }
}
