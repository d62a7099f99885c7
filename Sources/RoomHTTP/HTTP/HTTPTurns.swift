import NIOCore
import RoomDelivery

/// Which HTTP connection of one event loop hands over its next request, and when.
///
/// The connections take part in the loop's turns (`FairQueue`), and each collects its next request in its turns. A whole
/// request takes a place: no more than a few are being answered at a time, because what a loop has to do for an answer
/// comes later, from the threads that make them. A request that takes long is waiting for something, and does not count.
/// Bound to its event loop.
///
/// Invariant: where requests wait for a place, either a turn is under way that hands them over, or all places are taken
/// and the timer is set.
final class HTTPTurns: Flow {
    struct Limits {
        /// Requests being answered.
        var running = 8
        /// After that time a request does not count as running.
        var patience = TimeAmount.milliseconds(20)
    }

    /// Those who have a request to hand over, by user or address: one who asks much delays itself.
    private var waiting = GroupRing<HTTPRequestPacer>()
    private let eventLoop: any EventLoop
    private let flows: FairQueue
    private let limits: Limits
    private var running: [(number: UInt64, since: NIODeadline)] = []
    private var lastNumber: UInt64 = 0
    private var timer: Scheduled<Void>?
    /// The share of handing over to those that wait. It is never used up: the work is that of the connections.
    var share = WorkShare()

    init(eventLoop: any EventLoop, flows: FairQueue, limits: Limits = Limits()) {
        self.eventLoop = eventLoop
        self.flows = flows
        self.limits = limits
    }

    /// The connection has bytes that may be a request: it gets a turn at once, or when those before it have had theirs.
    func ask(_ connection: HTTPRequestPacer) {
        if self.flows.begin(connection) { self.take(connection) }
    }

    /// The connection has had an answer: it gets a turn when the loop has looked at its sockets.
    func askAgain(_ connection: HTTPRequestPacer) {
        self.flows.wait(connection)
    }

    /// The connection's turn has come.
    func take(_ connection: HTTPRequestPacer) {
        let spent = connection.share.spent
        connection.parse()
        if connection.hasRequest {
            if self.waiting.isEmpty, self.hasPlace() {
                self.handOver(connection)
            } else {
                self.waiting.append(connection, of: connection.group)
                self.handOverNext()
            }
        }
        self.flows.worked(connection, since: spent)
        if connection.hasRest { self.flows.wait(connection) }
    }

    /// The connection's request has caused so much in rooms.
    func charge(_ connection: HTTPRequestPacer, _ units: Int) {
        let spent = connection.share.spent
        connection.share.cause(units)
        self.flows.worked(connection, since: spent)
    }

    /// The connection is gone.
    func left(_ connection: HTTPRequestPacer) {
        self.flows.ended(connection)
    }

    /// The answer has gone out, or the connection is gone.
    func ended(_ number: UInt64) {
        self.running.removeAll { $0.number == number }
        self.handOverNext()
    }

    // MARK: Places

    private func hasPlace() -> Bool {
        guard self.running.count >= self.limits.running else { return true }
        let now = self.eventLoop.now
        self.running.removeAll { $0.since + self.limits.patience <= now }
        return self.running.count < self.limits.running
    }

    private func handOver(_ connection: HTTPRequestPacer) {
        self.lastNumber += 1
        self.running.append((self.lastNumber, self.eventLoop.now))
        connection.handOver(as: self.lastNumber)
    }

    /// Keeps the invariant; called wherever a request begins to wait, or a place may have become free.
    private func handOverNext() {
        guard !self.waiting.isEmpty else { return }
        if self.hasPlace() { self.flows.wait(self) } else { self.setTimer() }
    }

    private func setTimer() {
        guard self.timer == nil, let oldest = self.running.first else { return }
        let deadline = oldest.since + self.limits.patience
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.handOverNext()
        }
    }

    // MARK: The turn of those that wait

    var group: WorkGroup { .flow(ObjectIdentifier(self)) }
    var description: FlowDescription? { nil }

    /// Hands over while there are places. A connection that has gone meanwhile takes none.
    func takeTurn() {
        while self.hasPlace(), let next = self.waiting.popFirst() {
            guard next.hasRequest else { continue }
            let spent = next.share.spent
            self.handOver(next)
            self.flows.worked(next, since: spent)
        }
        self.handOverNext()
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
