import DequeModule
import NIOCore
import RoomDelivery

/// Which HTTP connection of one event loop hands over its next request, and when.
///
/// The connections take part in the loop's turns (`FairQueue`). Beyond that, no more than a few requests are being
/// answered at a time: what a loop has to do for an answer comes later, from the threads that make them. A request that
/// takes long is waiting for something, and does not count. Bound to its event loop.
final class HTTPTurns {
    struct Limits {
        /// Requests being answered.
        var running = 8
        /// After that time a request does not count as running.
        var patience = TimeAmount.milliseconds(20)
    }

    private let eventLoop: any EventLoop
    private let flows: FairQueue
    private let limits: Limits
    /// Those that wait until there is a place.
    private var waiting: Deque<HTTPRequestPacer> = []
    private var running: [(number: UInt64, since: NIODeadline)] = []
    private var lastNumber: UInt64 = 0
    private var timer: Scheduled<Void>?

    init(eventLoop: any EventLoop, flows: FairQueue, limits: Limits = Limits()) {
        self.eventLoop = eventLoop
        self.flows = flows
        self.limits = limits
    }

    /// The connection has bytes that may be a request: it gets a turn at once, or when those before it have had theirs.
    func ask(_ connection: HTTPRequestPacer) {
        guard self.waiting.isEmpty else { return self.awaitPlace(connection) }
        if self.flows.begin(connection) { self.take(connection) }
    }

    /// The connection has had an answer: it gets a turn when the loop has looked at its sockets.
    func askAgain(_ connection: HTTPRequestPacer) {
        if self.waiting.isEmpty {
            self.flows.wait(connection)
        } else {
            self.awaitPlace(connection)
        }
    }

    /// The connection's turn has come.
    func take(_ connection: HTTPRequestPacer) {
        guard self.hasPlace() else { return self.awaitPlace(connection) }
        let credit = connection.share.credit
        connection.parse()
        self.flows.worked(connection, from: credit)
    }

    /// A request is handed over.
    ///
    /// - Returns: its number, for `ended`.
    func began() -> UInt64 {
        self.lastNumber += 1
        self.running.append((self.lastNumber, self.eventLoop.now))
        return self.lastNumber
    }

    /// The answer has gone out, or the connection is gone.
    func ended(_ number: UInt64) {
        guard let index = self.running.firstIndex(where: { $0.number == number }) else { return }
        self.running.remove(at: index)
        if let next = self.waiting.popFirst() { self.flows.wait(next) }
    }

    // MARK: Places

    private func hasPlace() -> Bool {
        guard self.running.count >= self.limits.running else { return true }
        let now = self.eventLoop.now
        self.running.removeAll { $0.since + self.limits.patience <= now }
        return self.running.count < self.limits.running
    }

    private func awaitPlace(_ connection: HTTPRequestPacer) {
        self.waiting.append(connection)
        self.setTimer()
    }

    private func setTimer() {
        guard self.timer == nil, let oldest = self.running.first else { return }
        let deadline = oldest.since + self.limits.patience
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired() }
    }

    private func timerFired() {
        self.timer = nil
        guard !self.waiting.isEmpty else { return }
        if self.hasPlace() {
            let free = self.limits.running - self.running.count
            for _ in 0..<free {
                guard let next = self.waiting.popFirst() else { return }
                self.flows.wait(next)
            }
        }
        if !self.waiting.isEmpty { self.setTimer() }
    }
}

/// The turns of HTTP on each event loop of the shards. One for each listener: the Unix socket has places of its own.
struct HTTPLoopTurns: Sendable {
    private let turns: [ObjectIdentifier: NIOLoopBoundBox<HTTPTurns?>]
    private let shards: [ShardRef]

    init(_ shards: [ShardRef]) {
        self.shards = shards
        self.turns = Dictionary(
            uniqueKeysWithValues: shards.map { shard in
                (
                    ObjectIdentifier(shard.eventLoop),
                    .makeEmptyBox(valueType: HTTPTurns.self, eventLoop: shard.eventLoop)
                )
            }
        )
    }

    /// On this event loop; `nil`: it is none of the shards'.
    subscript(eventLoop: any EventLoop) -> HTTPTurns? {
        guard let box = self.turns[ObjectIdentifier(eventLoop)],
            let shard = self.shards.first(where: { $0.eventLoop === eventLoop })
        else { return nil }
        let turns = box.value ?? HTTPTurns(eventLoop: eventLoop, flows: shard.onLoop.flows)
        box.value = turns
        return turns
    }
}
