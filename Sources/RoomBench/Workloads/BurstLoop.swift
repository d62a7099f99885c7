/// One room of a closed loop: a burst is sent, and the next one when all of it has arrived everywhere. Pure.
struct BurstLoop: Equatable {
    enum Outcome: Equatable {
        case waiting
        /// The last of the burst has arrived: the next one may be sent.
        case complete
        /// More has arrived than was sent.
        case surplus
    }

    /// The arrivals of one burst: its messages, once for each receiver.
    private let arrivals: Int
    private var missing = 0
    private var start: Int64 = 0

    init(messages: Int, receivers: Int) {
        self.arrivals = messages * receivers
    }

    /// Nothing is on its way.
    var isAtRest: Bool { self.missing == 0 }

    /// A burst is sent at this time, in nanoseconds.
    mutating func sent(at time: Int64) {
        self.missing = self.arrivals
        self.start = time
    }

    /// So many messages have arrived.
    mutating func received(_ count: Int) -> Outcome {
        guard count <= self.missing else { return .surplus }
        self.missing -= count
        return self.missing == 0 ? .complete : .waiting
    }

    /// How long what arrives at this time was on its way.
    func latency(at time: Int64) -> Int64 { time - self.start }
}
