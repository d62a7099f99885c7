import NIOCore

/// Follows one stream: an ordered consumer, made anew behind the last place that was delivered whenever something is
/// missing or nothing is heard. While there is none, the stream is asked directly, which any of its servers answers.
///
/// Pure: what was heard comes in, with its time; what is to be done goes out.
struct Follower {
    /// How often the consumer says that it is there.
    static let heartbeat = TimeAmount.seconds(1)

    /// The last place that was delivered.
    private(set) var place: UInt64
    /// The number of the consumer; those before do not count any more.
    private(set) var generation = 0
    /// The number of the question; those before do not count any more.
    private(set) var question = 0
    private var delivered: UInt64 = 0
    private var isConfirmed = false
    private var heard: NIODeadline
    /// The last place that the question under way was answered with; `nil`: there is none under way.
    private var answered: UInt64?
    private var asked: NIODeadline

    init(behind place: UInt64, now: NIODeadline) {
        self.place = place
        self.heard = now
        self.asked = now
    }

    // MARK: The consumer

    /// The consumer of the next generation is to be made behind this place.
    mutating func restarted(behind place: UInt64, now: NIODeadline) {
        self.place = place
        self.generation += 1
        self.delivered = 0
        self.isConfirmed = false
        self.heard = now
        self.asked = now
        self.answered = nil
    }

    enum DeliveryAction: Equatable {
        case deliver
        case restart
        case none
    }

    /// - Parameter number: ascending without holes for each consumer.
    mutating func delivered(
        place: UInt64,
        number: UInt64,
        generation: Int,
        now: NIODeadline
    ) -> DeliveryAction {
        guard generation == self.generation else { return .none }
        guard number == self.delivered + 1 else { return .restart }
        self.delivered = number
        self.confirm(now)
        // An answer was faster, or the consumer is on a server that was behind when it was made.
        guard place > self.place else { return .none }
        self.place = place
        return .deliver
    }

    /// - Parameter last: the number of the consumer's newest delivery.
    mutating func heartbeatReceived(last: UInt64?, generation: Int, now: NIODeadline) -> DeliveryAction {
        guard generation == self.generation else { return .none }
        self.confirm(now)
        guard let last else { return .none }
        return last > self.delivered ? .restart : .none
    }

    private mutating func confirm(_ now: NIODeadline) {
        self.isConfirmed = true
        self.heard = now
    }

    // MARK: Questions

    enum TickAction: Equatable {
        /// The consumer has been silent for too long.
        case restart
        /// Ask for what is behind `place`.
        case ask
        case none
    }

    mutating func ticked(now: NIODeadline) -> TickAction {
        let silence = now - self.heard
        if silence > Self.heartbeat * 2 + .milliseconds(200) { return .restart }
        let isLate = self.isConfirmed ? silence > Self.heartbeat + .milliseconds(250) : silence > .milliseconds(100)
        let isDue = now - self.asked > (self.answered == nil ? .milliseconds(50) : .milliseconds(500))
        guard isLate, isDue else { return .none }
        self.question += 1
        self.answered = 0
        self.asked = now
        return .ask
    }

    /// - Parameter previous: the place of the answer before, 0 for the first one: what is missing between is asked for
    ///   again.
    mutating func answered(place: UInt64, previous: UInt64, question: Int) -> Bool {
        guard question == self.question, let answered = self.answered else { return false }
        guard previous == answered else {
            self.answered = nil
            return false
        }
        self.answered = place
        guard place > self.place else { return false }
        self.place = place
        return true
    }

    /// The stream's leader has answered, whatever the consumer has delivered.
    ///
    /// - Returns: whether it is to be taken.
    mutating func leaderAnswered(place: UInt64) -> Bool {
        guard place > self.place else { return false }
        self.place = place
        return true
    }

    /// All that the server had, or would send at once, was answered.
    mutating func answersEnded(question: Int) {
        if question == self.question { self.answered = nil }
    }
}
