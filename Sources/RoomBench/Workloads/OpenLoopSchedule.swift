/// When each message is due, whatever became of those before it. A latency that counts from then is free of coordinated
/// omission: a broker that stalls is charged with all that should have been sent meanwhile. Pure; times in nanoseconds.
struct OpenLoopSchedule: Equatable {
    private let start: Int64
    private let rate: Int
    /// The number of the next message.
    private(set) var next = 0

    /// - Parameter rate: messages a second.
    init(start: Int64, rate: Int) {
        self.start = start
        self.rate = rate
    }

    func due(_ number: Int) -> Int64 {
        let (seconds, rest) = number.quotientAndRemainder(dividingBy: self.rate)
        return self.start + Int64(seconds) * 1_000_000_000 + Int64(rest) * 1_000_000_000 / Int64(self.rate)
    }

    /// The numbers of the messages that are due and were not taken yet, as many as `most`.
    mutating func takeDue(at time: Int64, most: Int = .max) -> Range<Int> {
        let first = self.next
        while self.due(self.next) <= time, self.next - first < most { self.next += 1 }
        return first..<self.next
    }
}
