import RoomHost

/// The measurements of one workload: its rounds, and what the kernel counts for the broker. Confined to one event loop.
final class WorkloadRecord {
    let meter: RoundMeter
    private let process: HostProcess?
    private let grownFrom: Int?
    private var restFrom: RoundMeter.Moment?
    private var result: WorkloadResult

    /// Before the first connection.
    init(of plan: WorkloadPlan, process: HostProcess?) {
        self.process = process
        self.grownFrom = process?.residentBytes
        self.meter = RoundMeter(at: Self.moment(process))
        self.result = WorkloadResult(workload: plan.workload, settings: plan.settings, rounds: [], connections: 0)
    }

    private static func moment(_ process: HostProcess?) -> RoundMeter.Moment {
        RoundMeter.Moment(
            nanoseconds: MonotonicClock.now,
            brokerSeconds: process?.seconds,
            generatorSeconds: Double(ProcessorTime.ofThisThread) / 1e9
        )
    }

    /// The channel has told whether it stores messages; `nil`: it may not be known.
    func learned(isStored: Bool?) {
        self.result.isStored = isStored
    }

    func beginRound() {
        self.meter.begin(at: Self.moment(self.process))
    }

    func endRound() {
        self.result.rounds.append(self.meter.round(until: Self.moment(self.process)))
    }

    func beginRest() {
        self.restFrom = Self.moment(self.process)
    }

    func endRest() {
        let end = Self.moment(self.process)
        guard let start = self.restFrom, let used = end.brokerSeconds, let before = start.brokerSeconds else { return }
        self.result.loadAtRest = (used - before) / (Double(end.nanoseconds - start.nanoseconds) / 1e9)
    }

    /// - Parameter sendDelay: in nanoseconds; `nil` where nothing was due at a time.
    func drained(sendDelay: Int64?) {
        self.result.sendDelay = sendDelay.map { Double($0) / 1_000 }
    }

    func stopped() {
        self.result.wasStopped = true
    }

    /// - Parameter connections: that are open now, before they are closed.
    func end(connections: Int) {
        self.result.connections = connections
        self.result.grownBytes = self.process?.residentBytes.flatMap { end in self.grownFrom.map { end - $0 } }
    }

    /// `nil` where no round has ended.
    var outcome: WorkloadResult? { self.result.rounds.isEmpty ? nil : self.result }
}
