/// How often each latency occurred: log-linear buckets, as in HdrHistogram, so that a minute costs no more memory than a
/// microsecond and both are known equally well. A quantile is off by at most 1/256 of itself (0.4 %); the maximum is exact.
struct LatencyHistogram: Equatable, Sendable {
    /// Each power of two has 128 buckets; below 256 ns, each value has its own.
    private static let bits = 7
    /// 18 minutes, in nanoseconds. A longer latency is counted there.
    private static let longest: Int64 = 1 << 40

    private var counts: [UInt64]
    private(set) var total: UInt64 = 0
    /// In nanoseconds; 0 where nothing was recorded.
    private(set) var maximum: Int64 = 0

    init() {
        self.counts = Array(repeating: 0, count: Self.index(of: Self.longest) + 1)
    }

    /// - Parameters:
    ///   - nanoseconds: a negative latency counts as 0.
    ///   - count: how many events had it.
    mutating func record(_ nanoseconds: Int64, count: Int = 1) {
        guard count > 0 else { return }
        let value = max(nanoseconds, 0)
        self.counts[Self.index(of: min(value, Self.longest))] &+= UInt64(count)
        self.total &+= UInt64(count)
        self.maximum = max(self.maximum, value)
    }

    mutating func removeAll() {
        for index in self.counts.indices { self.counts[index] = 0 }
        self.total = 0
        self.maximum = 0
    }

    /// The latency that this part of all events did not exceed, in nanoseconds.
    ///
    /// - Parameter part: from 0 to 1.
    /// - Returns: `nil` where nothing was recorded.
    func quantile(_ part: Double) -> Int64? {
        guard self.total > 0 else { return nil }
        let rank = UInt64((Double(self.total) * min(max(part, 0), 1)).rounded(.up))
        var seen: UInt64 = 0
        for (index, count) in self.counts.enumerated() where count > 0 {
            seen += count
            if seen >= rank { return min(Self.middle(of: index), self.maximum) }
        }
        return self.maximum
    }

    private static func index(of value: Int64) -> Int {
        let shift = max(Int64.bitWidth - 1 - value.leadingZeroBitCount - self.bits, 0)
        return shift << self.bits + Int(value >> Int64(shift))
    }

    private static func middle(of index: Int) -> Int64 {
        let shift = max(index >> self.bits - 1, 0)
        return Int64(index - shift << self.bits) << Int64(shift) + (1 << Int64(shift)) >> 1
    }
}
