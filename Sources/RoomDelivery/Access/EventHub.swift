import DequeModule
import NIOConcurrencyHelpers
package import RoomModel
import Synchronization

/// The newest events of the broker, for any number of watchers. Nothing is kept before the first one comes.
package final class EventHub: Sendable {
    /// Which process these events are of: a number of another one means nothing here.
    package let epoch: Epoch
    private let isWatched = Atomic<Bool>(false)
    private let state = NIOLockedValueBox(State())

    /// Events that a watcher who comes back finds.
    static let kept = 10_000
    /// Events that wait for a slow watcher; beyond it its stream ends.
    static let waiting = 1_000

    private struct State {
        var events: Deque<BrokerEvent> = []
        var number: UInt64 = 0
        var watchers: [Int: AsyncStream<BrokerEvent>.Continuation] = [:]
        var watcherCount = 0
    }

    package init(epoch: Epoch) {
        self.epoch = epoch
    }

    /// The event is made only where somebody watches or has watched.
    package func post(time: Int64, _ kind: @autoclosure () -> BrokerEvent.Kind) {
        guard self.isWatched.load(ordering: .relaxed) else { return }
        let kind = kind()
        self.state.withLockedValue { state in
            state.number += 1
            let event = BrokerEvent(number: state.number, time: time, kind: kind)
            state.events.append(event)
            if state.events.count > Self.kept { state.events.removeFirst() }
            for (number, watcher) in state.watchers {
                if case .dropped = watcher.yield(event) {
                    watcher.finish()
                    state.watchers.removeValue(forKey: number)
                }
            }
        }
    }

    /// The events behind number `after` that are still known, then all that come. It ends where they come faster than
    /// they are read.
    ///
    /// - Parameter after: `nil`: only what happens from now on.
    /// - Returns: the stream, and whether events are missing between `after` and its first one.
    package func watch(after: UInt64?) -> (events: AsyncStream<BrokerEvent>, isIncomplete: Bool) {
        self.isWatched.store(true, ordering: .relaxed)
        let (stream, continuation, number, isIncomplete) = self.state.withLockedValue { state in
            let missed = after.map { after in state.events.filter { $0.number > after } } ?? []
            let first = state.events.first?.number ?? state.number + 1
            let isIncomplete = after.map { $0 > state.number || $0 + 1 < first } ?? false
            let (stream, continuation) = AsyncStream.makeStream(
                of: BrokerEvent.self,
                bufferingPolicy: .bufferingOldest(missed.count + Self.waiting)
            )
            for event in missed { continuation.yield(event) }
            state.watcherCount += 1
            state.watchers[state.watcherCount] = continuation
            return (stream, continuation, state.watcherCount, isIncomplete)
        }
        continuation.onTermination = { [weak self] _ in
            // not within a yield under the lock: there the watcher is taken out already
            guard let self else { return }
            Task { self.state.withLockedValue { _ = $0.watchers.removeValue(forKey: number) } }
        }
        return (stream, isIncomplete)
    }
}
