import NIOCore
import RoomModel
import RoomWire

/// One client: runs what ``ConnectionMachine`` orders, and keeps what outlives a connection: the session, the rooms, the
/// outbox, the questions. Confined to the client's event loop, and reached from elsewhere through ``CoreRef``.
final class ClientCore {
    /// What the app said this client should be.
    struct Identity: Sendable {
        let address: BrokerAddress
        let channel: String
        var memberData: JSON?
        var token: TokenSource
    }

    let configuration: RoomClient.Configuration
    let loop: any EventLoop
    let board: ConnectionBoard
    let events: EventBoard
    var identity: Identity
    var rooms: [RoomName: JoinedRoom] = [:]
    var pendingRequests = PendingRequests()
    var outbox: Outbox
    var publishers = Publishers()
    var machine: ConnectionMachine
    var link: Link?
    /// For the resume of this session by the next connection.
    var resumeToken: String?
    var clientID = ""
    /// What the broker knows of this client: not yet what the app has said of it last.
    var acceptedMemberData: JSON?
    /// Whoever wants to know how the present attempt to connect ends.
    var connecting: [Waiter<String>] = []
    /// Why nothing is possible any more.
    var finalError: RoomClientError?
    /// The app's token provider at work; cancelled ones stay here until they have returned.
    var tokenTasks: [UInt64: Task<Void, Never>] = [:]
    var isRenewingToken = false
    let tickets: TicketCounter
    private let connector: any Connector
    private(set) var attempt: UInt64 = 0
    /// The end of the machine's pause, or of its patience with the present attempt.
    private var machineTimer: Scheduled<Void>?
    private var deadlineTimer: (at: NIODeadline, task: Scheduled<Void>)?
    private var isFlushScheduled = false
    /// Once connected, or told so, the client stays connected, wanted or not.
    private var staysConnected = false

    init(
        identity: Identity,
        configuration: RoomClient.Configuration,
        board: ConnectionBoard,
        events: EventBoard,
        loop: any EventLoop,
        connector: any Connector,
        tickets: TicketCounter
    ) {
        self.identity = identity
        self.configuration = configuration
        self.board = board
        self.events = events
        self.loop = loop
        self.connector = connector
        self.tickets = tickets
        self.outbox = Outbox(limit: configuration.outbox, backoff: configuration.backoff)
        self.machine = ConnectionMachine(backoff: configuration.backoff)
    }

    var isReady: Bool {
        if case .ready = self.machine.state { true } else { false }
    }

    func random() -> Double { Double.random(in: 0..<1) }

    // MARK: What the machine orders

    func run(_ order: ConnectionMachine.Order, because error: RoomClientError? = nil) {
        switch order {
        case .open: self.open()
        case .greet: self.greet()
        case .authenticate: self.authenticate()
        case .resume: self.resume()
        case .wait(let pause): self.wait(pause, error ?? .closed)
        case .end: self.end(error)
        case .none: break
        }
    }

    /// Something needs a connection.
    func want() {
        self.run(self.machine.wanted())
    }

    /// The app wants a connection for its own sake.
    func stayConnected() {
        self.staysConnected = true
        self.want()
    }

    private func open() {
        self.attempt += 1
        let attempt = self.attempt
        self.board.moved(to: .connecting)
        let patience = TimeAmount(self.configuration.connectTimeout)
        self.setMachineTimer(patience) { core in
            core.failed(RoomClientError(.timedOut, "connecting took longer than \(core.configuration.connectTimeout)"))
        }
        let core = NIOLoopBound(self, eventLoop: self.loop)
        self.connector.connect(
            to: self.identity.address,
            on: self.loop,
            timeout: patience,
            handler: { LinkHandler(core: core.value) }
        )
        .hop(to: self.loop)
        .assumeIsolated()
        .whenComplete { result in self.opened(result, attempt) }
    }

    private func opened(_ result: Result<any Channel, any Error>, _ attempt: UInt64) {
        switch result {
        case .success(let channel):
            guard self.isCurrent(attempt), channel.isActive else {
                channel.close(promise: nil)
                if self.isCurrent(attempt) { self.failed(Self.lost) }
                return
            }
            self.link = Link(channel: channel)
            self.run(self.machine.opened())
        case .failure(let error):
            guard self.isCurrent(attempt) else { return }
            let address = self.identity.address
            self.failed(
                RoomClientError(
                    .connectionFailed,
                    "no connection to \(address.host) port \(address.port): is the broker running there?",
                    cause: error
                )
            )
        }
    }

    private func resume() {
        self.machineTimer?.cancel()
        self.staysConnected = true
        self.startKeepAlive()
        self.board.moved(to: .connected(clientID: self.clientID))
        for waiter in self.connecting { waiter.answer(.success(self.clientID)) }
        self.connecting = []
        // Before all that may need the token.
        self.sendWaiting(about: .identity)
        self.tellMemberDataOfMeanwhile()
        for room in self.rooms.values { self.subscribe(room) }
        self.sendWaiting(about: .other)
        self.scheduleFlush()
    }

    private func wait(_ pause: Duration, _ error: RoomClientError) {
        self.dropLink(Self.lost)
        for waiter in self.connecting { waiter.answer(.failure(error)) }
        self.connecting = []
        if self.isWanted {
            self.setMachineTimer(TimeAmount(pause)) { core in core.run(core.machine.pauseEnded()) }
            self.board.moved(to: .waiting(retryIn: pause, error))
        } else {
            self.machineTimer?.cancel()
            self.run(self.machine.unwanted())
            self.board.moved(to: .idle)
        }
    }

    /// Whether anything waits for the next connection. A `connect()` alone does not: it throws what the first attempt ended with.
    private var isWanted: Bool {
        !self.rooms.isEmpty || !self.outbox.isEmpty || self.pendingRequests.wantConnection || self.staysConnected
    }

    private func end(_ error: RoomClientError?) {
        self.finalError = error ?? .closed
        self.dropLink(error ?? .closed)
        self.machineTimer?.cancel()
        self.deadlineTimer?.task.cancel()
        // First: who asks why a room has ended finds that the client has.
        self.board.moved(to: .closed(error))
        self.events.end()
        self.failAll(error ?? .closed, roomError: error)
    }

    private func failAll(_ error: RoomClientError, roomError: RoomClientError?) {
        for waiter in self.connecting { waiter.answer(.failure(error)) }
        self.connecting = []
        for room in self.rooms.values { room.end(roomError ?? .closed) }
        self.rooms = [:]
        _ = self.outbox.removeAll()
        self.publishers.failAll(error)
        for handler in self.pendingRequests.removeAll() { handler(.failure(error)) }
    }

    // MARK: The end of a connection

    /// Whether this is the channel of the present connection.
    func isLinked(to channel: any Channel) -> Bool { self.link?.channel === channel }

    /// Whether this attempt to connect, or the connection that came of it, is the present one.
    func isCurrent(_ attempt: UInt64) -> Bool {
        guard self.attempt == attempt else { return false }
        switch self.machine.state {
        case .opening, .greeting, .authenticating, .ready: return true
        case .idle, .waiting, .closed: return false
        }
    }

    /// The present attempt or connection is no good.
    func failed(_ error: RoomClientError, isFinal: Bool = false) {
        let ending: ConnectionMachine.Ending =
            isFinal || error.retryAfter != nil ? .told(isFinal: isFinal, retryAfter: error.retryAfter) : .lost
        self.run(self.machine.ended(ending, jitter: self.random(), now: self.loop.now), because: error)
    }

    private static let lost = RoomClientError(.connectionLost, "the connection to the broker ended")

    /// - Parameter error: what fails with the connection fails with this.
    private func dropLink(_ error: RoomClientError) {
        guard let link = self.link else { return }
        self.link = nil
        link.keepAliveTimer?.cancel()
        for task in self.tokenTasks.values { task.cancel() }
        self.isRenewingToken = false
        self.outbox.connectionLost()
        for handler in self.pendingRequests.connectionLost() { handler(.failure(error)) }
        for room in self.rooms.values { room.isSubscribed = false }
        if !link.isFarewell { link.channel.close(promise: nil) }
    }

    // MARK: Signs of life

    /// Anything was read.
    func heard() {
        self.link?.keepAlive?.heard(now: self.loop.now)
    }

    private func startKeepAlive() {
        let interval = TimeAmount(self.configuration.heartbeat)
        self.link?.keepAlive = KeepAlive(interval: interval, now: self.loop.now)
        self.lookForLife()
    }

    private func lookForLife() {
        guard let order = self.link?.keepAlive?.look(now: self.loop.now) else { return }
        switch order {
        case .wait(let time): self.lookForLife(at: time)
        case .ping(let time):
            self.write { ClientFrameWriter.ping(into: &$0) }
            self.lookForLife(at: time)
        case .giveUp:
            self.failed(RoomClientError(.connectionLost, "the broker has not been heard of, the network is dead"))
        }
    }

    private func lookForLife(at time: NIODeadline) {
        self.link?.keepAliveTimer = self.schedule(at: time) { $0.lookForLife() }
    }

    // MARK: Timers

    func schedule(at time: NIODeadline, _ work: @escaping @Sendable (ClientCore) -> Void) -> Scheduled<Void> {
        let core = NIOLoopBound(self, eventLoop: self.loop)
        return self.loop.scheduleTask(deadline: time) { work(core.value) }
    }

    private func setMachineTimer(_ delay: TimeAmount, _ work: @escaping @Sendable (ClientCore) -> Void) {
        self.machineTimer?.cancel()
        self.machineTimer = self.schedule(at: self.loop.now + delay, work)
    }

    var requestDeadline: NIODeadline { self.loop.now + TimeAmount(self.configuration.requestTimeout) }

    /// Makes sure that deadlines are looked at by then.
    func armDeadline(_ time: NIODeadline?) {
        guard let time else { return }
        if let armed = self.deadlineTimer, armed.at <= time { return }
        self.deadlineTimer?.task.cancel()
        self.deadlineTimer = (time, self.schedule(at: time) { $0.deadlinePassed() })
    }

    private func deadlinePassed() {
        self.deadlineTimer = nil
        let now = self.loop.now
        for handler in self.pendingRequests.expire(now: now) {
            handler(.failure(RoomClientError(.timedOut, "no answer within \(self.configuration.requestTimeout)")))
        }
        self.publishDeadlinePassed()
        self.armDeadline([self.pendingRequests.nextDeadline, self.outbox.nextDeadline].compactMap(\.self).min())
    }

    // MARK: Writing

    /// Puts a frame on its way; it leaves with the next flush.
    func write(_ frame: (inout ByteBuffer) -> Void) {
        guard self.link != nil else { return }
        var outgoing = ByteBuffer()
        frame(&outgoing)
        self.link?.outgoing.writeImmutableBuffer(outgoing)
        self.scheduleFlush()
    }

    /// One write for all that is asked in this turn of the event loop.
    func scheduleFlush() {
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        let core = NIOLoopBound(self, eventLoop: self.loop)
        self.loop.execute {
            core.value.isFlushScheduled = false
            core.value.flush()
        }
    }

    /// Writes what waits, as far as the socket takes it.
    func flush() {
        guard let channel = self.link?.channel, channel.isWritable else { return }
        // With the next token they go out in their order, with the old one they would only be refused.
        let isFull = self.isReady && !self.isRenewingToken && self.fillOutgoing()
        guard let outgoing = self.link?.outgoing, outgoing.readableBytes > 0 else { return }
        self.link?.outgoing = ByteBuffer()
        channel.writeAndFlush(outgoing, promise: nil)
        if isFull { self.scheduleFlush() }
    }

    /// Takes publishes out of the outbox, up to a write's worth.
    ///
    /// - Returns: whether more are waiting.
    private func fillOutgoing() -> Bool {
        while (self.link?.outgoing.readableBytes ?? .max) < Self.writeSize {
            guard let frame = self.outbox.next() else { return false }
            self.link?.outgoing.writeImmutableBuffer(frame)
        }
        return true
    }

    private static let writeSize = 128 * 1024
}
