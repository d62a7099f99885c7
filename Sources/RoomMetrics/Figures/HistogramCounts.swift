/// How many values a histogram has counted in each of its buckets.
struct HistogramCounts: Equatable, Sendable {
    /// The upper ends of all buckets but the last, ascending.
    private(set) var bounds: [Double] = []
    /// One for each bound, and one for what is above the last.
    private(set) var counts: [Int] = []

    /// Adds those of another series of the metric.
    mutating func add(_ other: HistogramCounts) {
        guard self.bounds == other.bounds else {
            self = other
            return
        }
        for index in self.counts.indices { self.counts[index] += other.counts[index] }
    }

    /// The counts that were added since `earlier`.
    func since(_ earlier: HistogramCounts) -> HistogramCounts {
        guard self.bounds == earlier.bounds else { return self }
        return HistogramCounts(bounds: self.bounds, counts: zip(self.counts, earlier.counts).map { $0 - $1 })
    }

    /// The value that this part of all values is not above, interpolated within its bucket.
    ///
    /// - Parameter part: from 0 to 1.
    /// - Returns: `nil` where there are no values.
    func quantile(_ part: Double) -> Double? {
        let wanted = Double(self.counts.reduce(0, +)) * part
        guard wanted > 0 else { return nil }
        var (start, below) = (0.0, 0.0)
        for (bound, count) in zip(self.bounds, self.counts) {
            let reached = below + Double(count)
            if reached >= wanted { return start + (bound - start) * (wanted - below) / Double(count) }
            (start, below) = (bound, reached)
        }
        return start
    }
}
