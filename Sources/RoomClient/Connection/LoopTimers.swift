import NIOCore

extension EventLoop {
    /// Calls `work` with a value that is confined to this event loop.
    func schedule<Value>(
        at time: NIODeadline,
        for value: Value,
        _ work: @escaping @Sendable (Value) -> Void
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound(value, eventLoop: self)
        return self.scheduleTask(deadline: time) { work(bound.value) }
    }
}

/// One timer for many deadlines: it fires at the earliest one that it was armed for.
struct LoopTimer {
    private var armed: (time: NIODeadline, task: Scheduled<Void>)?

    /// - Parameters:
    ///   - time: `nil`: there is no further deadline.
    ///   - schedule: schedules the call that looks at the deadlines and begins with ``fired()``.
    mutating func arm(_ time: NIODeadline?, _ schedule: (NIODeadline) -> Scheduled<Void>) {
        guard let time else { return }
        if let armed = self.armed, armed.time <= time { return }
        self.armed?.task.cancel()
        self.armed = (time, schedule(time))
    }

    mutating func fired() {
        self.armed = nil
    }

    func cancel() {
        self.armed?.task.cancel()
    }
}
