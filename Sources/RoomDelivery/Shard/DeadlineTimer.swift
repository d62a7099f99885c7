import NIOCore

/// The deadlines of one shard, and the one timer of its event loop that is set for the first of them.
struct DeadlineTimer {
    private var deadlines = Deadlines()
    private var timer: (time: NIODeadline, task: Scheduled<Void>)?

    /// - Parameters:
    ///   - isPending: whether a deadline still means something.
    ///   - fire: called on the loop when the first deadline has passed; `fired` has to follow.
    mutating func add(
        _ kind: Deadlines.Kind,
        at time: NIODeadline,
        on eventLoop: any EventLoop,
        isPending: (Deadlines.Kind) -> Bool,
        fire: @escaping @Sendable () -> Void
    ) {
        self.deadlines.add(kind, at: time, isPending: isPending)
        self.arm(on: eventLoop, fire: fire)
    }

    /// The timer has fired: the deadlines that have passed are to be taken out, then `rearm` has to follow.
    mutating func fired() {
        self.timer = nil
    }

    mutating func popPassed(_ now: NIODeadline) -> Deadlines.Kind? { self.deadlines.popPassed(now) }

    /// Sets the timer for the first deadline that still means something.
    mutating func rearm(
        on eventLoop: any EventLoop,
        isPending: (Deadlines.Kind) -> Bool,
        fire: @escaping @Sendable () -> Void
    ) {
        self.deadlines.dropPointless(isPending: isPending)
        self.arm(on: eventLoop, fire: fire)
    }

    private mutating func arm(on eventLoop: any EventLoop, fire: @escaping @Sendable () -> Void) {
        guard let next = self.deadlines.next else { return }
        if let timer {
            guard next < timer.time else { return }
            timer.task.cancel()
        }
        self.timer = (next, eventLoop.scheduleTask(deadline: next, fire))
    }
}
