import NIOCore
import RoomModel
import RoomWire

/// One client: connects its parts, and takes each frame to the part that it is for. Confined to the client's event loop, and
/// reached from elsewhere through ``CoreRef``.
final class ClientCore {
    let session: ClientSession
    let rooms: RoomTable
    let publishing: PublishSender
    /// The calls that wait for the end of the present attempt to connect.
    private(set) var connecting: [Waiter<String>] = []
    private let connection: BrokerConnection
    private let requests: RequestSender
    private let broadcaster: ConnectionBroadcaster
    private let events: EventBroadcaster
    private let network: (any NetworkWatch)?
    private let log: ClientLog
    /// Once connected, or told so by the app, the client stays connected even if nothing needs the connection.
    private var staysConnected = false

    init(
        identity: ClientSession.Identity,
        configuration: RoomClient.Configuration,
        broadcaster: ConnectionBroadcaster,
        events: EventBroadcaster,
        loop: any EventLoop,
        connector: any Connector,
        tickets: TicketCounter,
        network: (any NetworkWatch)?,
        log: ClientLog
    ) {
        let connection = BrokerConnection(
            to: identity.addresses,
            configuration: configuration,
            connector: connector,
            loop: loop
        )
        let requests = RequestSender(connection, configuration: configuration, tickets: tickets)
        let session = ClientSession(
            identity,
            heartbeat: configuration.heartbeat,
            isResumable: configuration.isResumable,
            connection: connection,
            requests: requests
        )
        self.connection = connection
        self.requests = requests
        self.session = session
        self.rooms = RoomTable(connection, requests: requests, backoff: configuration.backoff, log: log)
        self.publishing = PublishSender(connection, session: session, requests: requests, configuration: configuration)
        self.broadcaster = broadcaster
        self.events = events
        self.network = network
        self.log = log
        connection.delegate = self
        session.onTokenRenewed = { [unowned self] in self.tokenRenewed() }
    }

    // MARK: For the app

    func connect(_ waiter: Waiter<String>) {
        if let error = self.connection.finalError { return waiter.answer(.failure(error)) }
        if self.connection.isReady { return waiter.answer(.success(self.session.clientID)) }
        self.connecting.append(waiter)
        self.connection.want()
    }

    /// The app wants a connection for its own sake.
    func stayConnected() {
        self.staysConnected = true
        self.connection.want()
    }

    func reconnect() {
        if self.connection.finalError == nil { self.connection.hurry() }
    }

    /// A client that nothing has needed so far stays as it is.
    func networkChanged() {
        if self.connection.finalError == nil, !self.connection.isIdle { self.connection.hurry() }
    }

    /// Leaves the rooms before the connection ends, so that the others see it now, and not after the grace period of a session
    /// that may be resumed.
    ///
    /// - Parameter done: answered when the connection is closed, with what is still to be waited for.
    func close(_ done: Waiter<[Task<Void, Never>]>?) {
        let (tasks, names) = (self.session.tokenRequests.all, self.rooms.names)
        self.connection.close { buffer in
            for room in names { ClientFrameWriter.write(RoomSelection.one(room), callback: nil, into: &buffer) }
        } done: {
            done?.answer(.success(tasks))
        }
    }

    /// Sends a moderator's request once, if there is a connection: nobody knows whether a request that was lost has been
    /// carried out, and a notice must not come twice.
    func moderate(_ request: ModerationRequest, waiter: Waiter<Reply>) {
        if let error = self.connection.finalError { return waiter.answer(.failure(error)) }
        self.requests.ask(.fails) {
            ClientFrameWriter.write(request, callback: $0, into: &$1)
        } handler: { result in
            waiter.answer(result)
        }
    }

    private func answerConnecting(_ result: Result<String, RoomClientError>) {
        for waiter in self.connecting { waiter.answer(result) }
        self.connecting = []
    }

    /// Requests and publishes that the broker refused with the old token are sent again.
    private func tokenRenewed() {
        self.requests.sendWaiting(about: .other)
        self.publishing.tokenRenewed()
    }
}

// MARK: The connection

extension ClientCore: BrokerConnectionDelegate {
    /// A `connect()` alone is no reason to go on: it throws the error that the first attempt ended with.
    var isConnectionWanted: Bool {
        !self.rooms.isEmpty || self.publishing.wantConnection || self.requests.wantConnection || self.staysConnected
    }

    func willConnect() {
        self.log.connecting(to: self.connection.address)
        self.broadcaster.moved(to: .connecting)
    }

    func greet() {
        self.session.greet()
    }

    func authenticate() {
        self.session.authenticate()
    }

    func didConnect() {
        self.staysConnected = true
        self.log.connected(as: self.session.clientID)
        self.broadcaster.moved(to: .connected(clientID: self.session.clientID))
        self.answerConnecting(.success(self.session.clientID))
        // Before everything that may need the token.
        self.requests.sendWaiting(about: .identity)
        self.session.sendChangedMemberData()
        self.rooms.subscribeAll()
        self.requests.sendWaiting(about: .other)
    }

    func nextPublish() -> ByteBuffer? { self.publishing.next() }

    func didLoseConnection(_ error: RoomClientError) {
        self.session.connectionLost()
        self.publishing.connectionLost()
        self.requests.connectionLost(error)
        self.rooms.connectionLost()
    }

    func didDisconnect(_ error: RoomClientError, retryIn pause: Duration?) {
        self.log.disconnected(error, retryIn: pause)
        self.answerConnecting(.failure(error))
        self.broadcaster.moved(to: pause.map { .waiting(retryIn: $0, error) } ?? .idle)
    }

    func didEnd(_ error: RoomClientError?) {
        self.log.closed(error)
        self.network?.stop()
        // First: an app that asks why a room has ended finds that the client has.
        self.broadcaster.moved(to: .closed(error))
        self.events.end()
        self.answerConnecting(.failure(error ?? .closed))
        self.rooms.endAll(error ?? .closed)
        self.publishing.failAll(error ?? .closed)
        self.requests.failAll(error ?? .closed)
    }
}

// MARK: Frames

extension ClientCore {
    func received(_ frame: BrokerFrame) {
        switch frame {
        case .entry(let entry): self.rooms[entry.room]?.received(entry)
        case .members(let list): self.rooms.received(list)
        case .presence(let event): self.rooms[event.room]?.received(event)
        case .gap(let event): self.rooms[event.room]?.received(event)
        case .cleared(let event): self.rooms[event.room]?.received(event)
        case .notice(let event): self.received(event)
        case .mute(let event): self.received(event)
        case .reply(let reply): self.received(reply)
        case .removed(let removal): self.rooms.received(removal)
        case .goodbye(let goodbye): self.received(goodbye)
        case .failure(let error):
            if RoomClientError.Code(rawValue: error.code) == .tokenExpired { self.session.renewToken() }
        case .ping: self.connection.write { ClientFrameWriter.pong(into: &$0) }
        case .unknown(_, let room?, let seq?): self.rooms[room]?.received(unknownEntry: seq)
        case .pong, .unknown: break
        }
    }

    private func received(_ reply: Reply) {
        let error = reply.error.map { RoomClientError($0) }
        if self.publishing.answered(reply, error) { return }
        if error?.code == .tokenExpired {
            self.session.renewToken()
            if self.session.isRenewingToken, self.requests.postpone(reply) { return }
        }
        self.requests.answered(reply, error)
    }

    private func received(_ event: NoticeEvent) {
        if let room = event.room {
            self.rooms[room]?.received(event)
        } else {
            self.events.tell(.notice(ModeratorNotice(event)))
        }
    }

    private func received(_ event: MuteEvent) {
        if let room = event.room {
            self.rooms[room]?.received(event)
        } else {
            self.events.tell(.muteChanged(Mute(event)))
        }
    }

    private func received(_ goodbye: Goodbye) {
        let error = RoomClientError(
            RoomClientError.Code(rawValue: goodbye.code),
            goodbye.reason,
            isRetryable: goodbye.reconnects,
            retryAfter: goodbye.retryAfterMilliseconds.map { .milliseconds($0) }
        )
        self.connection.failed(error, isFinal: !goodbye.reconnects)
    }
}
