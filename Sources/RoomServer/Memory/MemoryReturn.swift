/// Decides when freed memory is given back to the system: the allocator keeps it otherwise, after a flood for good. To give
/// back five megabytes takes about a millisecond, in which threads may wait for memory: so it is done when little else is,
/// and once a minute where something always is. Pure.
struct MemoryReturn {
    /// Bytes of growth that are worth it.
    static let growth = 16 * 1_024 * 1_024
    /// The processor time of a broker with little to do, in parts of one core.
    static let quiet = 0.25
    /// Seconds from one time to the next in a broker with much to do.
    static let patience = 60.0

    /// The resident bytes after the last time.
    private var resident: Int
    private var processorSeconds: Double
    /// Seconds since the last time.
    private var waited = 0.0

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
        self.waited += seconds
        return figures.resident - self.resident > Self.growth && (load < Self.quiet || self.waited >= Self.patience)
    }

    /// Memory was given back.
    ///
    /// - Parameter resident: what is left.
    mutating func returned(resident: Int) {
        self.resident = resident
        self.waited = 0
    }
}
