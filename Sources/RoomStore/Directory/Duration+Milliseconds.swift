extension Duration {
    /// Rounded down; the highest or lowest number where they are too many.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
