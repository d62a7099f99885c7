package import NIOCore

/// Carries out the plan of one direction: says what to do next with the bytes that are there. Pure.
package struct LaneScript {
    package enum Move: Equatable {
        /// Write so many of the bytes.
        case forward(Int)
        case pause(TimeAmount)
        /// All is forwarded: read on.
        case read
        /// Leave everything as it is.
        case stall
        /// End this direction, and take what comes no further.
        case halfClose
        case discard(Int)
        case cut(ProxyPlan.Ending)
    }

    private enum Mode {
        case forwarding
        case dribbling(Int)
        case stalled
        case discarding
    }

    private var steps: ArraySlice<LanePlan.Step>
    private var mode = Mode.forwarding
    private var forwarded = 0

    package init(_ plan: LanePlan) {
        self.steps = plan.steps[...]
    }

    package var isStalled: Bool {
        if case .stalled = self.mode { true } else { false }
    }

    /// - Parameter available: the bytes that are there and not forwarded.
    package mutating func next(available: Int) -> Move {
        switch self.mode {
        case .stalled: return .stall
        case .discarding: return available > 0 ? .discard(available) : .read
        case .dribbling(let left):
            guard available > 0 else { return .read }
            self.mode = left > 1 ? .dribbling(left - 1) : .forwarding
            return self.forward(1)
        case .forwarding: return self.forwardOrStep(available)
        }
    }

    private mutating func forwardOrStep(_ available: Int) -> Move {
        guard let step = self.steps.first else { return available > 0 ? self.forward(available) : .read }
        // A fault needs something to happen to, except where it is due at once.
        if self.forwarded < step.offset {
            return available > 0 ? self.forward(min(available, step.offset - self.forwarded)) : .read
        }
        self.steps.removeFirst()
        switch step.fault {
        case .delay(let time): return .pause(time)
        case .dribble(let count):
            self.mode = .dribbling(count)
            return self.next(available: available)
        case .stall:
            self.mode = .stalled
            return .stall
        case .halfClose:
            self.mode = .discarding
            return .halfClose
        case .cut(let ending): return .cut(ending)
        }
    }

    private mutating func forward(_ count: Int) -> Move {
        self.forwarded += count
        return .forward(count)
    }

    /// From now on nothing happens to the bytes any more. Lost bytes stay lost.
    package mutating func calmDown() {
        self.steps = []
        if case .discarding = self.mode { return }
        self.mode = .forwarding
    }
}
