import NIOCore
import RoomHost

/// One workload, from its first connection to the end of its last one. Confined to one event loop, where all of its
/// connections are.
///
/// It opens the connections, asks whether the channel stores messages, lets the traffic run for a moment that does not count,
/// measures the rounds, waits until all that was sent has arrived, and closes the connections.
final class WorkloadRun {
    enum Phase: Equatable {
        case opening, asking, warmingUp
        /// From 1 on.
        case round(Int)
        case draining
        /// In `idle` only: all connections are open, and nothing is said.
        case atRest
        case closing
        case ended
    }

    let plan: WorkloadPlan
    let loop: any EventLoop
    let dialer: Dialer
    let places: [ConnectionPlace]
    private let record: WorkloadRecord
    private let channel: String
    private let progress: (BenchProgress) -> Void
    private let promise: EventLoopPromise<WorkloadResult?>

    private(set) var phase = Phase.opening
    /// How many of `places` have begun to open.
    private var begun = 0
    /// Those of `places` that are open, in the order in which they came to be.
    private(set) var opened: [BenchConnection] = []
    /// That have begun and not ended.
    private var all: [ObjectIdentifier: BenchConnection] = [:]
    private var traffic: (any Traffic)?
    private var timer: Scheduled<Void>?
    private var watch = WorkloadWatch()

    init(
        _ plan: WorkloadPlan,
        _ dialer: Dialer,
        on loop: any EventLoop,
        channel: String,
        process: HostProcess?,
        progress: @escaping (BenchProgress) -> Void,
        promise: EventLoopPromise<WorkloadResult?>
    ) {
        self.plan = plan
        self.dialer = dialer
        self.loop = loop
        self.channel = channel
        self.record = WorkloadRecord(of: plan, process: process)
        self.progress = progress
        self.promise = promise
        self.places = ConnectionPlace.all(of: plan)
    }

    // MARK: Opening

    func start() {
        self.record.beginRound()
        self.tick()
        guard !self.places.isEmpty else { return self.begin() }
        for _ in 0..<min(self.places.count, Self.openedAtATime) { self.openNext() }
    }

    /// Within the backlog of any system.
    private static let openedAtATime = 64

    private func openNext() {
        let place = self.places[self.begun]
        self.begun += 1
        self.open(room: place.room, isMember: place.isMember)
    }

    private func open(room: Int, isMember: Bool) {
        let connection = self.dialer.open(room: room, isMember: isMember, delegate: self)
        self.all[ObjectIdentifier(connection)] = connection
    }

    private func openedOneMore(_ connection: BenchConnection) {
        self.opened.append(connection)
        if self.plan.workload == .idle { self.record.meter.record(MonotonicClock.now - connection.start) }
        if self.begun < self.places.count { return self.openNext() }
        guard self.opened.count == self.places.count else { return }
        if self.plan.workload == .idle { return self.rest() }
        self.phase = .asking
        var question = OutgoingFrames(isWebSocket: self.dialer.isWebSocket)
        question.history(of: self.dialer.room(connection.room))
        connection.send(question.bytes)
    }

    /// Whether an acknowledged message would be stored is what `durable` is about.
    private func learned(storesMessages: Bool?) {
        guard self.phase == .asking else { return }
        self.record.learned(isStored: storesMessages)
        if self.plan.workload == .durable, storesMessages == false {
            return self.fail(
                BenchFailure(
                    .refused,
                    "the channel \(self.channel) stores nothing, so that nothing is durable; start the broker with "
                        + "--channel bench,history=1000 and give --channel bench"
                )
            )
        }
        self.begin()
    }

    // MARK: Measuring

    private func begin() {
        self.phase = .warmingUp
        let traffic = self.makeTraffic { [unowned self] in self.open(room: $0, isMember: true) }
        self.traffic = traffic
        traffic.begin(at: MonotonicClock.now)
        self.after(min(self.plan.settings.seconds / 2, Self.longestWarmUp)) { self.beginRound(1) }
    }

    /// In seconds.
    private static let longestWarmUp = 1.0

    private func beginRound(_ number: Int) {
        self.phase = .round(number)
        self.takeBytes()
        self.record.beginRound()
        self.after(self.plan.settings.seconds) { self.endRound(number) }
    }

    private func endRound(_ number: Int) {
        guard number < self.plan.settings.rounds else { return self.drain() }
        self.addRound()
        self.beginRound(number + 1)
    }

    private func addRound() {
        self.takeBytes()
        self.record.endRound()
    }

    private func takeBytes() {
        for connection in self.all.values {
            self.record.meter.add(bytes: connection.unreportedBytes)
            connection.unreportedBytes = 0
        }
    }

    /// The last round is over when all has arrived: what a broker has swallowed would be missing in the latencies.
    private func drain() {
        self.phase = .draining
        self.traffic?.end()
        self.drained()
    }

    private func drained() {
        guard self.phase == .draining, self.traffic?.isDrained ?? true else { return }
        self.addRound()
        self.record.drained(sendDelay: self.traffic?.sendDelay)
        self.close()
    }

    // MARK: Idle

    private func rest() {
        self.addRound()
        self.phase = .atRest
        self.record.beginRest()
        self.after(self.plan.settings.seconds) { self.rested() }
    }

    private func rested() {
        self.record.endRest()
        self.close()
    }

    // MARK: The end

    /// Ends it before its time: what was measured so far is the result. A second call does not wait for what is on its way.
    func stop() {
        switch self.phase {
        case .opening, .asking, .warmingUp: self.close()
        case .round:
            self.record.stopped()
            self.drain()
        case .atRest:
            self.record.stopped()
            self.rested()
        case .draining:
            self.addRound()
            self.close()
        case .closing, .ended: break
        }
    }

    private func close() {
        self.record.end(connections: self.opened.count)
        self.phase = .closing
        self.traffic?.end()
        self.after(Self.closingTime) { self.finish() }
        for connection in self.all.values { connection.close() }
        if self.all.isEmpty { self.finish() }
    }

    /// In seconds. A connection that is still being made does not tell when it has ended.
    private static let closingTime = 2.0

    private func finish() {
        guard self.phase == .closing else { return }
        self.end()
        self.promise.succeed(self.record.outcome)
    }

    private func fail(_ failure: BenchFailure) {
        guard self.phase != .closing, self.phase != .ended else { return }
        self.end()
        for connection in self.all.values { connection.close() }
        self.promise.fail(failure)
    }

    private func end() {
        self.phase = .ended
        self.timer?.cancel()
        self.traffic?.end()
    }

    private func after(_ seconds: Double, _ work: @escaping () -> Void) {
        self.timer?.cancel()
        let time = TimeAmount.nanoseconds(Int64(seconds * 1e9))
        self.timer = self.loop.assumeIsolated().scheduleTask(in: time) { work() }
    }

    // MARK: Watching

    /// Tells how far it is, and notices that nothing happens any more.
    private func tick() {
        guard self.phase != .ended else { return }
        let count = self.opened.count + self.record.meter.operations
        let rate = self.watch.rate(of: self.record.meter.operations, at: MonotonicClock.now)
        self.progress(BenchProgress(workload: self.plan.workload, step: self.step, operationsPerSecond: rate))
        if self.watch.isStuck(at: count, in: self.phase) {
            return self.fail(.silent(WorkloadWatch.patience))
        }
        let time = TimeAmount.nanoseconds(Int64(WorkloadWatch.interval * 1e9))
        _ = self.loop.assumeIsolated().scheduleTask(in: time) { self.tick() }
    }

    private var step: BenchProgress.Step {
        switch self.phase {
        case .opening, .asking: .connecting(done: self.opened.count, of: self.places.count)
        case .warmingUp: .warmingUp
        case .round(let number): .round(number, of: self.plan.settings.rounds)
        case .draining: .round(self.plan.settings.rounds, of: self.plan.settings.rounds)
        case .atRest: .atRest
        case .closing, .ended: .closing
        }
    }
}

extension WorkloadRun: BenchConnectionDelegate {
    func connectionOpened(_ connection: BenchConnection) {
        switch self.phase {
        case .opening: self.openedOneMore(connection)
        case .warmingUp, .round, .draining: self.traffic?.opened(connection, at: MonotonicClock.now, self.record.meter)
        case .asking, .atRest, .closing, .ended: connection.close()
        }
    }

    func connection(_ connection: BenchConnection, received result: FrameScanner.Result) {
        guard let traffic = self.traffic, self.phase != .closing, self.phase != .ended else { return }
        if let failure = traffic.received(result, by: connection, at: MonotonicClock.now, self.record.meter) {
            self.fail(failure)
        } else if self.phase == .draining {
            self.drained()
        }
    }

    func connection(_ connection: BenchConnection, storesMessages: Bool?) {
        self.learned(storesMessages: storesMessages)
    }

    func connection(_ connection: BenchConnection, failed failure: BenchFailure) {
        self.fail(failure)
    }

    func connectionClosed(_ connection: BenchConnection) {
        guard self.all.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        switch self.phase {
        case .warmingUp, .round, .draining:
            self.record.meter.add(bytes: connection.unreportedBytes)
            self.traffic?.closed(connection, at: MonotonicClock.now, self.record.meter)
            self.drained()
        case .closing: if self.all.isEmpty { self.finish() }
        case .opening, .asking, .atRest, .ended: break
        }
    }
}
