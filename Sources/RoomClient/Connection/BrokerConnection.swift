import NIOCore
import RoomModel
import RoomWire

/// The client of a ``BrokerConnection``: gets its events.
protocol BrokerConnectionDelegate: AnyObject {
    /// Whether anything waits for the next connection.
    var isConnectionWanted: Bool { get }

    func willConnect()
    /// The connection is open: send the handshake.
    func greet()
    /// The handshake is answered, and the broker has not seen the token yet.
    func authenticate()
    /// Everything can be sent now: join the rooms again and send what waits.
    func didConnect()
    func received(_ frame: BrokerFrame)
    /// The next publish that can be written; `nil` if there is none.
    func nextPublish() -> ByteBuffer?
    /// The connection has ended, whatever follows. A request that cannot outlive it fails with this error.
    func didLoseConnection(_ error: RoomClientError)
    /// There is no connection now.
    ///
    /// - Parameter retryIn: the pause before the next attempt; `nil` if there will be none.
    func didDisconnect(_ error: RoomClientError, retryIn: Duration?)
    /// There will never be a connection again.
    func didEnd(_ error: RoomClientError?)
}

/// The connection to the broker, over all attempts: runs what ``ConnectionMachine`` orders, writes frames, and notices a dead
/// network. Confined to the client's event loop.
final class BrokerConnection {
    let loop: any EventLoop
    /// The error that closed the client; `nil` while connections are possible.
    private(set) var finalError: RoomClientError?
    /// The number of the present attempt to connect, or of the connection that came of it.
    private(set) var attempt: UInt64 = 0
    weak var delegate: (any BrokerConnectionDelegate)?
    /// Attempts go to one after the other.
    private let addresses: [BrokerAddress]
    private let configuration: RoomClient.Configuration
    private let connector: any Connector
    private var machine: ConnectionMachine
    private var link: Link?
    /// The end of the machine's pause, or of the time that the present attempt may take.
    private var timer: Scheduled<Void>?
    private var isFlushScheduled = false

    init(
        to addresses: [BrokerAddress],
        configuration: RoomClient.Configuration,
        connector: any Connector,
        loop: any EventLoop
    ) {
        self.addresses = addresses
        self.configuration = configuration
        self.connector = connector
        self.loop = loop
        self.machine = ConnectionMachine(backoff: configuration.backoff)
    }

    /// Where the present attempt goes, or the connection that came of it.
    var address: BrokerAddress { self.addresses[Int(max(self.attempt, 1) - 1) % self.addresses.count] }

    /// Whether requests of every kind can be sent.
    var isReady: Bool {
        if case .ready = self.machine.state { true } else { false }
    }

    /// Whether nothing has needed a connection so far, or does any more.
    var isIdle: Bool { self.machine.state == .idle }

    /// Whether a handshake can be sent.
    var isOpen: Bool { self.link != nil }

    // MARK: For the client

    /// Something needs a connection.
    func want() {
        self.run(self.machine.wanted())
    }

    /// Ends the present pause; a connection that looks healthy has to show that it is.
    func hurry() {
        self.run(self.machine.hurried(now: self.loop.now))
    }

    /// The broker has accepted the handshake.
    func welcomed(authenticates: Bool) {
        self.run(self.machine.welcomed(authenticates: authenticates, now: self.loop.now))
    }

    /// The broker has accepted the token.
    func authenticated() {
        self.run(self.machine.authenticated(now: self.loop.now))
    }

    /// The present attempt or connection cannot be used.
    func failed(_ error: RoomClientError, isFinal: Bool = false) {
        let ending: ConnectionMachine.Ending =
            isFinal || error.retryAfter != nil ? .told(isFinal: isFinal, retryAfter: error.retryAfter) : .lost
        self.run(self.machine.ended(ending, jitter: Backoff.jitter, now: self.loop.now), because: error)
    }

    /// The app closes the client.
    ///
    /// - Parameters:
    ///   - farewell: writes the last frames, if there is a connection that works.
    ///   - done: called when the connection is closed.
    func close(_ farewell: (inout ByteBuffer) -> Void, done: @escaping @Sendable () -> Void) {
        guard self.isReady, let channel = self.link?.channel else {
            self.run(self.machine.closed())
            return done()
        }
        self.write(farewell)
        self.sendFarewell(on: channel)
        self.run(self.machine.closed())
        channel.closeFuture.whenComplete { _ in done() }
    }

    /// Lets the broker read what is written before the connection ends: closing at once could discard it.
    private func sendFarewell(on channel: any Channel) {
        let outgoing = self.link?.outgoing ?? ByteBuffer()
        self.link?.isFarewell = true
        channel.writeAndFlush(outgoing, promise: nil)
        channel.close(mode: .output, promise: nil)
        channel.eventLoop.scheduleTask(in: Self.farewellTime) { channel.close(promise: nil) }
    }

    private static let farewellTime = TimeAmount.seconds(1)

    // MARK: Orders of the machine

    private func run(_ order: ConnectionMachine.Order, because error: RoomClientError? = nil) {
        switch order {
        case .open: self.open()
        case .greet: self.delegate?.greet()
        case .authenticate: self.delegate?.authenticate()
        case .resume: self.resume()
        case .wait(let pause): self.wait(pause, error ?? .closed)
        case .shortenPause(let pause): self.setPause(pause)
        case .probe: self.probe()
        case .end: self.end(error)
        case .none: break
        }
    }

    private func open() {
        self.attempt += 1
        let attempt = self.attempt
        self.delegate?.willConnect()
        let timeout = self.configuration.connectTimeout
        self.setTimer(TimeAmount(timeout)) { connection in
            connection.failed(RoomClientError(.timedOut, "connecting took longer than \(timeout)"))
        }
        let bound = NIOLoopBound(self, eventLoop: self.loop)
        self.connector.connect(
            to: self.address,
            on: self.loop,
            timeout: TimeAmount(timeout),
            handler: { [address] in LinkHandler(bound.value, to: address) }
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
            self.failed(RoomClientError(connectingTo: self.address, error))
        }
    }

    private func resume() {
        self.timer?.cancel()
        self.startKeepAlive()
        self.delegate?.didConnect()
        self.scheduleFlush()
    }

    private func wait(_ pause: Duration, _ error: RoomClientError) {
        self.dropLink(Self.lost)
        if self.delegate?.isConnectionWanted ?? false {
            self.setPause(pause)
            self.delegate?.didDisconnect(error, retryIn: pause)
        } else {
            self.timer?.cancel()
            self.run(self.machine.unwanted())
            self.delegate?.didDisconnect(error, retryIn: nil)
        }
    }

    private func setPause(_ pause: Duration) {
        self.setTimer(TimeAmount(pause)) { connection in connection.run(connection.machine.pauseEnded()) }
    }

    private func end(_ error: RoomClientError?) {
        self.finalError = error ?? .closed
        self.dropLink(error ?? .closed)
        self.timer?.cancel()
        self.delegate?.didEnd(error)
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

    private static let lost = RoomClientError(.connectionLost, "the connection to the broker ended")

    private func dropLink(_ error: RoomClientError) {
        guard let link = self.link else { return }
        self.link = nil
        link.keepAliveTimer?.cancel()
        self.delegate?.didLoseConnection(error)
        if !link.isFarewell { link.channel.close(promise: nil) }
    }

    private func setTimer(_ delay: TimeAmount, _ work: @escaping @Sendable (BrokerConnection) -> Void) {
        self.timer?.cancel()
        self.timer = self.loop.schedule(at: self.loop.now + delay, for: self, work)
    }

    // MARK: Reading

    func received(_ frame: BrokerFrame) {
        self.delegate?.received(frame)
    }

    /// Anything was read.
    func heard() {
        self.link?.keepAlive?.heard(now: self.loop.now)
    }

    private func startKeepAlive() {
        let interval = TimeAmount(self.configuration.heartbeat)
        self.link?.keepAlive = KeepAlive(interval: interval, now: self.loop.now)
        self.checkKeepAlive()
    }

    private func checkKeepAlive() {
        self.follow(self.link?.keepAlive?.look(now: self.loop.now))
    }

    private func probe() {
        self.follow(self.link?.keepAlive?.probe(within: Self.probeTime, now: self.loop.now))
    }

    /// Longer than a mobile network takes for an answer. A connection that is given up wrongly costs a resumed session.
    private static let probeTime = TimeAmount.seconds(3)

    private func follow(_ order: KeepAlive.Order?) {
        switch order {
        case .wait(let time): self.checkKeepAlive(at: time)
        case .ping(let time):
            self.write { ClientFrameWriter.ping(into: &$0) }
            self.checkKeepAlive(at: time)
        case .giveUp(let silence):
            let text = "the broker has sent nothing for \(Duration.nanoseconds(silence.nanoseconds))"
            self.failed(RoomClientError(.connectionLost, text))
        case nil: break
        }
    }

    private func checkKeepAlive(at time: NIODeadline) {
        self.link?.keepAliveTimer?.cancel()
        self.link?.keepAliveTimer = self.loop.schedule(at: time, for: self) { $0.checkKeepAlive() }
    }

    // MARK: Writing

    /// Appends a frame to what the next flush writes.
    func write(_ frame: (inout ByteBuffer) -> Void) {
        guard self.link != nil else { return }
        var outgoing = ByteBuffer()
        frame(&outgoing)
        self.link?.outgoing.writeImmutableBuffer(outgoing)
        self.scheduleFlush()
    }

    /// One write for everything that is requested in this turn of the event loop.
    func scheduleFlush() {
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: self.loop)
        self.loop.execute {
            bound.value.isFlushScheduled = false
            bound.value.flush()
        }
    }

    /// Writes what waits, as far as the socket takes it.
    func flush() {
        guard let channel = self.link?.channel, channel.isWritable else { return }
        let isFull = self.isReady && self.fillOutgoing()
        guard let outgoing = self.link?.outgoing, outgoing.readableBytes > 0 else { return }
        self.link?.outgoing = ByteBuffer()
        channel.writeAndFlush(outgoing, promise: nil)
        if isFull { self.scheduleFlush() }
    }

    /// Appends publishes, up to a write's worth.
    ///
    /// - Returns: whether more may be waiting.
    private func fillOutgoing() -> Bool {
        while (self.link?.outgoing.readableBytes ?? .max) < Self.writeSize {
            guard let frame = self.delegate?.nextPublish() else { return false }
            self.link?.outgoing.writeImmutableBuffer(frame)
        }
        return true
    }

    private static let writeSize = 128 * 1024
}
