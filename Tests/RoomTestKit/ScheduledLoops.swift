import DequeModule
import Dispatch
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded

/// The event loops of a broker in memory that has several: each does what was posted to it in the order of posting, and
/// which of them goes on next is drawn. So what one loop posts to another comes late, and anything may come in between.
final class ScheduledLoops {
    let all: [ScheduledLoop]
    private var random: SeededRandom

    init(_ count: Int, on base: EmbeddedEventLoop, seed: UInt64) {
        self.all = (0..<count).map { _ in ScheduledLoop(base) }
        self.random = SeededRandom(seed: seed)
    }

    func draw(from seed: UInt64) { self.random = SeededRandom(seed: seed) }

    /// How much is done before anything else comes.
    func nextCount() -> Int { self.random.below(self.random.chance(30) ? 200 : 12) }

    func chance(_ percent: Int) -> Bool { self.random.chance(percent) }

    /// One of the loops that have something to do does its next task.
    ///
    /// - Returns: false where none has.
    func runOne() -> Bool {
        let start = self.random.below(self.all.count)
        for index in 0..<self.all.count where self.all[(start + index) % self.all.count].runOne() { return true }
        return false
    }
}

/// One event loop of several on one thread. Time and timers are the embedded loop's that they share.
final class ScheduledLoop: EventLoop {
    private let base: EmbeddedEventLoop
    private let tasks = NIOLockedValueBox<Deque<@Sendable () -> Void>>([])

    init(_ base: EmbeddedEventLoop) {
        self.base = base
    }

    func runOne() -> Bool {
        guard let task = self.tasks.withLockedValue({ $0.popFirst() }) else { return false }
        task()
        return true
    }

    var inEventLoop: Bool { self.base.inEventLoop }
    var now: NIODeadline { self.base.now }

    func execute(_ task: @escaping @Sendable () -> Void) {
        self.tasks.withLockedValue { $0.append(task) }
    }

    @discardableResult
    func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        self.base.scheduleTask(deadline: deadline, task)
    }

    @discardableResult
    func scheduleTask<T>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        self.base.scheduleTask(in: time, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        queue.async { callback(nil) }
    }
}
