import NIOCore

/// The largest value of the last ten seconds, in slots of a second.
struct RecentMaximum {
    private static let seconds: UInt64 = 10

    private var slots = Array(repeating: (second: UInt64(0), value: Int64(0)), count: Int(Self.seconds))

    /// - Returns: the largest value, this one included.
    mutating func add(_ value: Int64, now: NIODeadline) -> Int64 {
        let second = now.uptimeNanoseconds / 1_000_000_000
        let index = Int(second % Self.seconds)
        if self.slots[index].second != second { self.slots[index] = (second, 0) }
        self.slots[index].value = max(self.slots[index].value, value)
        return self.slots.reduce(0) { $1.second + Self.seconds > second ? max($0, $1.value) : $0 }
    }
}
