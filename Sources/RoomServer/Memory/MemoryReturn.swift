/// Decides when freed memory is given back to the system: the allocator keeps it otherwise, after a flood for good. It
/// costs about a millisecond for ten megabytes, in which the broker's threads may wait for memory, so it is done when
/// little else is. Pure.
struct MemoryReturn {
    /// Bytes of growth that are worth it.
    static let growth = 16 * 1_024 * 1_024
    /// The processor time of a broker with little to do, in parts of one core.
    static let quiet = 0.25

    /// What was resident after the last time.
    private var resident: Int
    private var processorSeconds: Double

    init(_ figures: Figures) {
        self.resident = figures.resident
        self.processorSeconds = figures.processorSeconds
    }

    struct Figures: Equatable {
        /// Bytes.
        var resident: Int
        var processorSeconds: Double
    }

    /// Whether to give memory back now.
    ///
    /// - Parameter seconds: since the last call.
    mutating func isDue(_ figures: Figures, after seconds: Double) -> Bool {
        let load = (figures.processorSeconds - self.processorSeconds) / seconds
        self.processorSeconds = figures.processorSeconds
        self.resident = min(self.resident, figures.resident)
        return load < Self.quiet && figures.resident - self.resident > Self.growth
    }

    /// Memory was given back.
    ///
    /// - Parameter resident: what is left.
    mutating func returned(resident: Int) {
        self.resident = resident
    }
}
