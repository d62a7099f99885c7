package import NIOCore

/// The faults that happen to the bytes of one direction, in the order of the offsets.
package struct LanePlan: Equatable, Sendable {
    package enum Fault: Equatable, Sendable {
        /// Bytes wait for so long.
        case delay(TimeAmount)
        /// So many bytes go one by one.
        case dribble(Int)
        /// Nothing comes through any more, and nobody is told.
        case stall
        /// This direction ends, the other goes on; what still comes is lost.
        case halfClose
        /// The connection ends, wherever in a frame that may be.
        case cut(ProxyPlan.Ending)
    }

    package struct Step: Equatable, Sendable {
        /// So many bytes have been forwarded before.
        package let offset: Int
        package let fault: Fault
    }

    package private(set) var steps: [Step] = []

    package init() {}

    package init(steps: [Step]) {
        self.steps = steps
    }

    /// Faults that a connection survives.
    package init(_ random: inout SeededRandom) {
        for _ in 0..<random.below(4) {
            let delay = TimeAmount.milliseconds(Int64(1 + random.below(20)))
            let fault = random.chance(50) ? Fault.delay(delay) : .dribble(1 + random.below(64))
            self.add(Step(offset: Self.offset(&random, bits: 15), fault: fault))
        }
    }

    /// A fault that a connection does not survive. Stalls are few: each costs the time until a heartbeat notices.
    package mutating func end(_ random: inout SeededRandom) {
        let offset = Self.offset(&random, bits: 18)
        let fault: Fault =
            switch random.below(20) {
            case 0: .stall
            case 1...5: .halfClose
            default: .cut(ProxyPlan.ending(&random))
            }
        self.add(Step(offset: offset, fault: fault))
    }

    /// Small offsets are as likely as large ones: a handshake is cut as often as a replay of many messages.
    package static func offset(_ random: inout SeededRandom, bits: Int) -> Int {
        let scale = 1 << random.below(bits)
        return scale + random.below(scale)
    }

    private mutating func add(_ step: Step) {
        self.steps.append(step)
        self.steps.sort { $0.offset < $1.offset }
    }
}
