import RoomAdmin

/// The newest statistics beside the ones before: rates, and how figures went.
struct StatisticsTrend: Equatable, Sendable {
    /// As many points as the widest line of them has.
    static let longest = 240

    private(set) var newest: AdminStatistics?
    private(set) var connections: [Double] = []
    private(set) var rooms: [Double] = []
    private(set) var members: [Double] = []
    private(set) var slow: [Double] = []
    private(set) var busy: [Double] = []
    /// A second.
    private(set) var publishRates: [Double] = []
    private(set) var deliveryRates: [Double] = []
    /// Bytes of the values of messages, a second.
    private(set) var bytesIn: [Double] = []
    /// Bytes of the frames of their copies, a second.
    private(set) var bytesOut: [Double] = []
    private(set) var errorRates: [Double] = []
    /// Percentages of one processor.
    private(set) var processorPercents: [Double] = []
    private(set) var residentBytes: [Double] = []
    /// The time that 99 % of the commits stayed within.
    private(set) var commitMilliseconds: [Double] = []
    private(set) var diskFreeBytes: [Double] = []
    /// When the statistics came.
    private var times: [Duration] = []

    /// - Parameter now: of a clock that only goes on.
    mutating func add(_ statistics: AdminStatistics, now: Duration) {
        // A broker that was started anew counts from nothing: there is no rate to tell.
        if let newest, statistics.publishes >= newest.publishes, statistics.deliveries >= newest.deliveries {
            let seconds = max((now - (self.times.last ?? now)) / .seconds(1), 0.001)
            func rate<Number: BinaryInteger>(_ figure: (AdminStatistics) -> Number?, into values: inout [Double]) {
                guard let new = figure(statistics), let old = figure(newest), new >= old else { return }
                Self.append(Double(new - old) / seconds, to: &values)
            }
            rate(\.publishes, into: &self.publishRates)
            rate(\.deliveries, into: &self.deliveryRates)
            rate(\.publishedBytes, into: &self.bytesIn)
            rate(\.deliveredBytes, into: &self.bytesOut)
            rate(\.errors, into: &self.errorRates)
            if let new = statistics.cpuSeconds, let old = newest.cpuSeconds, new >= old {
                Self.append((new - old) / seconds * 100, to: &self.processorPercents)
            }
        }
        Self.append(Double(statistics.connections), to: &self.connections)
        Self.append(Double(statistics.rooms), to: &self.rooms)
        Self.append(Double(statistics.members), to: &self.members)
        Self.append(Double(statistics.slow), to: &self.slow)
        Self.append(Double(statistics.busy ?? 0), to: &self.busy)
        if let bytes = statistics.residentBytes { Self.append(Double(bytes), to: &self.residentBytes) }
        if let seconds = statistics.commitP99Seconds { Self.append(seconds * 1_000, to: &self.commitMilliseconds) }
        if let bytes = statistics.diskFreeBytes { Self.append(Double(bytes), to: &self.diskFreeBytes) }
        self.newest = statistics
        self.times = self.times.suffix(Self.longest - 1) + [now]
    }

    /// The time that so many of the newest points take; `nil` where there are not two of them.
    func span(ofPoints count: Int) -> Duration? {
        let times = self.times.suffix(max(count, 0))
        guard times.count > 1, let first = times.first, let last = times.last else { return nil }
        return last - first
    }

    private static func append(_ value: Double, to values: inout [Double]) {
        values.append(value)
        if values.count > self.longest { values.removeFirst() }
    }

    /// All that the newest statistics tell, in the order of the view.
    var figures: [StatisticsFigure] {
        guard let newest else { return [] }
        var figures = [
            StatisticsFigure("connections", .count, self.connections), StatisticsFigure("rooms", .count, self.rooms),
            StatisticsFigure("members", .count, self.members),
            StatisticsFigure("published/s", .rate, self.publishRates),
            StatisticsFigure("delivered/s", .rate, self.deliveryRates),
        ]
        if newest.publishedBytes != nil { figures.append(.init("payload in/s", .bytesPerSecond, self.bytesIn)) }
        if newest.deliveredBytes != nil { figures.append(.init("frames out/s", .bytesPerSecond, self.bytesOut)) }
        if newest.cpuSeconds != nil { figures.append(.init("CPU", .percent, self.processorPercents)) }
        if newest.residentBytes != nil { figures.append(.init("memory", .bytes, self.residentBytes)) }
        if newest.version != nil {
            // the alert RoomlineCommitsAreSlow begins at 250 ms
            let values = newest.commitP99Seconds == nil ? [] : self.commitMilliseconds
            figures.append(.init("commit p99", .milliseconds, values, alarms: (100, 250)))
        }
        if newest.diskFreeBytes != nil {
            // as the doctor, and the alert RoomlineDiskFillsUp
            figures.append(.init("disk free", .bytes, self.diskFreeBytes, alarms: (Double(1 << 30), Double(100 << 20))))
        }
        if newest.errors != nil { figures.append(.init("errors/s", .rate, self.errorRates, alarms: (0.01, 10))) }
        figures.append(.init("slow consumers", .count, self.slow, alarms: (1, 100)))
        if newest.busy != nil {
            // one that sends a burst waits, too: that is what turns are for
            let isBusy = newest.busiest?.contains { $0.loopPercent >= 50 } ?? false
            figures.append(.init("held back", .count, self.busy, alarms: isBusy ? (1, 100) : nil))
        }
        return figures
    }
}
