/// The plan of a hostile proxy for one connection: decided by its seed and the connection's number alone.
package struct ProxyPlan: Equatable, Sendable {
    /// How a connection is made to end.
    package enum Ending: Equatable, Sendable {
        /// By a FIN, as of a peer that closed.
        case closed
        /// By a RST, as of a machine that lost its memory.
        case reset
    }

    /// A second connection for one attempt of the client's, as of a network that delivers it twice.
    package struct Duplicate: Equatable, Sendable {
        /// How much of the client's first bytes it repeats.
        package var bytes: Int
        /// Whether the broker reads it before the client's own.
        package var isFirst: Bool
    }

    /// Not forwarded at all.
    package var refusal: Ending?
    package var duplicate: Duplicate?
    package var toBroker = LanePlan()
    package var toClient = LanePlan()

    /// Forwards what comes as it comes.
    package static let faithful = ProxyPlan()

    private init() {}

    package init(seed: UInt64, connection: Int) {
        var random = SeededRandom(seed: seed &* 0x1_0000_0001 ^ UInt64(connection) &* 0x9e37_79b9)
        if random.chance(6) {
            self.refusal = Self.ending(&random)
            return
        }
        if random.chance(15) {
            self.duplicate = Duplicate(bytes: LanePlan.offset(&random, bits: 10), isFirst: random.chance(50))
        }
        self.toBroker = LanePlan(&random)
        self.toClient = LanePlan(&random)
        // Almost every connection ends, in one of its directions or in both.
        switch random.below(10) {
        case 0...2: self.toBroker.end(&random)
        case 3...7: self.toClient.end(&random)
        case 8:
            self.toBroker.end(&random)
            self.toClient.end(&random)
        default: break
        }
    }

    package static func ending(_ random: inout SeededRandom) -> Ending {
        random.chance(50) ? .closed : .reset
    }
}
