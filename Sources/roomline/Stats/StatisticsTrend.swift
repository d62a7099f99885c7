import RoomAdmin

/// The newest statistics beside the ones before: rates, and how figures went in the last hour.
struct StatisticsTrend: Equatable, Sendable {
    private(set) var newest: AdminStatistics?
    private(set) var connections = StatisticsSeries()
    private(set) var rooms = StatisticsSeries()
    private(set) var members = StatisticsSeries()
    private(set) var slow = StatisticsSeries()
    private(set) var busy = StatisticsSeries()
    /// A second.
    private(set) var publishRates = StatisticsSeries()
    private(set) var deliveryRates = StatisticsSeries()
    /// Bytes of the values of messages, a second.
    private(set) var bytesIn = StatisticsSeries()
    /// Bytes of the frames of their copies, a second.
    private(set) var bytesOut = StatisticsSeries()
    private(set) var errorRates = StatisticsSeries()
    /// Percentages of one processor.
    private(set) var processorPercents = StatisticsSeries()
    private(set) var residentBytes = StatisticsSeries()
    /// The time that 99 % of the commits stayed within.
    private(set) var commitMilliseconds = StatisticsSeries()
    private(set) var diskFreeBytes = StatisticsSeries()
    /// When any of them came, with one value for each time.
    private var moments = StatisticsSeries()

    /// - Parameter now: of a clock that only goes on.
    mutating func add(_ statistics: AdminStatistics, now: Duration) {
        // A broker that was started anew counts from nothing: there is no rate to tell.
        if let newest, statistics.publishes >= newest.publishes, statistics.deliveries >= newest.deliveries {
            let seconds = max((now - (self.moments.times.last ?? now)) / .seconds(1), 0.001)
            func rate<Number: BinaryInteger>(
                _ figure: (AdminStatistics) -> Number?,
                into series: inout StatisticsSeries
            ) {
                guard let new = figure(statistics), let old = figure(newest), new >= old else { return }
                series.append(Double(new - old) / seconds, at: now)
            }
            rate(\.publishes, into: &self.publishRates)
            rate(\.deliveries, into: &self.deliveryRates)
            rate(\.publishedBytes, into: &self.bytesIn)
            rate(\.deliveredBytes, into: &self.bytesOut)
            rate(\.errors, into: &self.errorRates)
            if let new = statistics.cpuSeconds, let old = newest.cpuSeconds, new >= old {
                self.processorPercents.append((new - old) / seconds * 100, at: now)
            }
        }
        self.connections.append(Double(statistics.connections), at: now)
        self.rooms.append(Double(statistics.rooms), at: now)
        self.members.append(Double(statistics.members), at: now)
        self.slow.append(Double(statistics.slow), at: now)
        self.busy.append(Double(statistics.busy ?? 0), at: now)
        if let bytes = statistics.residentBytes { self.residentBytes.append(Double(bytes), at: now) }
        if let seconds = statistics.commitP99Seconds { self.commitMilliseconds.append(seconds * 1_000, at: now) }
        if let bytes = statistics.diskFreeBytes { self.diskFreeBytes.append(Double(bytes), at: now) }
        self.newest = statistics
        self.moments.append(0, at: now)
    }

    /// Begins with what the broker knows of the last hour. Those of the figures that it does not keep begin with the first statistics.
    ///
    /// - Parameters:
    ///   - samples: the oldest first.
    ///   - age: how long ago one was taken.
    mutating func begin(with samples: [AdminFigures], now: Duration, age: (AdminTime) -> Duration?) {
        for sample in samples {
            guard let age = age(sample.time) else { continue }
            let time = now - age
            self.connections.append(Double(sample.connections), at: time)
            self.rooms.append(Double(sample.rooms), at: time)
            self.members.append(Double(sample.members), at: time)
            if let rate = sample.publishes { self.publishRates.append(rate, at: time) }
            if let rate = sample.deliveries { self.deliveryRates.append(rate, at: time) }
            if let bytes = sample.residentBytes { self.residentBytes.append(Double(bytes), at: time) }
            if let seconds = sample.commit99th { self.commitMilliseconds.append(seconds * 1_000, at: time) }
            self.moments.append(0, at: time)
        }
    }

    /// What the graphs show; `nil` where there are not two points.
    var frame: StatisticsSeries.Frame? {
        guard let start = self.moments.times.first, let end = self.moments.times.last, start < end else { return nil }
        return StatisticsSeries.Frame(start: start, end: end, points: self.moments.times.count)
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
            let values = newest.commitP99Seconds == nil ? StatisticsSeries() : self.commitMilliseconds
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
