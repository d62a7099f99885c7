/// What the newest statistics say beside the ones before: rates, and how figures went.
struct StatisticsTrend: Equatable, Sendable {
    /// As many points as the widest line of them has.
    static let longest = 120

    private(set) var newest: AdminStatistics?
    private(set) var connections: [Double] = []
    private(set) var rooms: [Double] = []
    private(set) var members: [Double] = []
    private(set) var slow: [Double] = []
    private(set) var busy: [Double] = []
    /// A second.
    private(set) var publishRates: [Double] = []
    private(set) var deliveryRates: [Double] = []
    private var newestTime = Duration.zero

    /// - Parameter now: of a clock that only goes on.
    mutating func add(_ statistics: AdminStatistics, now: Duration) {
        // A broker that was started anew counts from nothing: there is no rate to tell.
        if let newest, statistics.publishes >= newest.publishes, statistics.deliveries >= newest.deliveries {
            let seconds = max((now - self.newestTime) / .seconds(1), 0.001)
            Self.append(Double(statistics.publishes - newest.publishes) / seconds, to: &self.publishRates)
            Self.append(Double(statistics.deliveries - newest.deliveries) / seconds, to: &self.deliveryRates)
        }
        Self.append(Double(statistics.connections), to: &self.connections)
        Self.append(Double(statistics.rooms), to: &self.rooms)
        Self.append(Double(statistics.members), to: &self.members)
        Self.append(Double(statistics.slow), to: &self.slow)
        Self.append(Double(statistics.busy ?? 0), to: &self.busy)
        self.newest = statistics
        self.newestTime = now
    }

    private static func append(_ value: Double, to values: inout [Double]) {
        values.append(value)
        if values.count > self.longest { values.removeFirst() }
    }
}
