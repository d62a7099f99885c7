import NIOCore
import RoomModel
import RoomWire

/// The client's session with the broker, over all connections: the handshake, the access token, the member data. Confined to
/// the client's event loop.
final class ClientSession {
    /// The settings of this client that the app has given.
    struct Identity: Sendable {
        /// One at least.
        let addresses: [BrokerAddress]
        let channel: String
        var memberData: JSON?
        var token: TokenSource
    }

    private(set) var clientID = ""
    /// The client gets another token while the connection goes on.
    private(set) var isRenewingToken = false
    /// Called when the broker has accepted a new token in the middle of a connection.
    var onTokenRenewed: () -> Void = {}
    let tokenRequests: TokenRequests
    private let connection: BrokerConnection
    private let requests: RequestSender
    private let heartbeat: Duration
    private let isResumable: Bool
    private var identity: Identity
    /// With it the next connection resumes this session.
    private var resumeToken: String?
    /// The member data that the broker knows; the app may have changed it since.
    private var acceptedMemberData: JSON?

    init(
        _ identity: Identity,
        heartbeat: Duration,
        isResumable: Bool,
        connection: BrokerConnection,
        requests: RequestSender
    ) {
        self.identity = identity
        self.heartbeat = heartbeat
        self.isResumable = isResumable
        self.connection = connection
        self.requests = requests
        self.tokenRequests = TokenRequests(loop: connection.loop)
    }

    func connectionLost() {
        self.tokenRequests.cancelAll()
        self.isRenewingToken = false
    }

    // MARK: The handshake

    func greet() {
        let (memberData, token) = (self.identity.memberData, self.identity.token.known)
        let request = HandshakeRequest(
            channel: self.identity.channel,
            clientData: memberData?.buffer,
            token: token,
            resumable: self.isResumable,
            resume: self.resumeToken,
            heartbeat: Int(self.heartbeat.components.seconds)
        )
        self.requests.ask(.dropped, about: .identity) {
            ClientFrameWriter.write(request, callback: $0, into: &$1)
        } handler: { [unowned self] result in
            self.greeted(result, as: memberData, with: token)
        }
    }

    /// - Parameter token: the one in the handshake; the app may have given another one since.
    private func greeted(_ result: Result<Reply, RoomClientError>, as memberData: JSON?, with token: String?) {
        do throws(RoomClientError) {
            let reply = try result.read { reply throws(BrokerFrameError) in try reply.handshake() }
            self.acceptedMemberData = memberData
            self.clientID = reply.clientID
            self.resumeToken = reply.resumeToken
            let authenticates = !self.identity.token.isNone && (token == nil || token != self.identity.token.known)
            self.connection.welcomed(authenticates: authenticates)
        } catch {
            self.refused(error)
        }
    }

    /// The broker has refused the handshake or the token. An answer that cannot be read is not a refusal: it ends the
    /// connection, as every line does that violates the protocol.
    private func refused(_ error: RoomClientError) {
        self.connection.failed(error, isFinal: !self.maySucceedLater(error) && error.code != .protocolViolation)
    }

    /// Unchanged, or with another token.
    private func maySucceedLater(_ error: RoomClientError) -> Bool {
        error.isRetryable || (error.code == .tokenExpired && self.identity.token.canRenew)
    }

    // MARK: The token

    func authenticate() {
        self.sendToken { session, result in
            switch result {
            case .success: session.connection.authenticated()
            case .failure(let error): session.refused(error)
            }
        }
    }

    /// The token has expired in the middle of a connection: gets another one, while the connection goes on.
    func renewToken() {
        guard self.connection.isReady, self.identity.token.canRenew, !self.isRenewingToken else { return }
        self.isRenewingToken = true
        self.sendToken { session, result in
            session.isRenewingToken = false
            switch result {
            case .success: session.onTokenRenewed()
            case .failure(let error): session.refused(error)
            }
        }
    }

    /// The app's own `authenticate(_:)`.
    func authenticate(_ token: String, waiter: Waiter<Void>) {
        if let error = self.connection.finalError { return waiter.answer(.failure(error)) }
        // A token that this connection refuses must not be shown by the next one.
        if !self.connection.isReady { self.identity.token = .fixed(token) }
        self.connection.want()
        self.send(token, .repeated) { session, result in
            if case .success = result { session.identity.token = .fixed(token) }
            waiter.answer(result.map { _ in })
        }
    }

    /// Gets the token and sends it.
    ///
    /// - Parameter handler: not called if the connection ends first.
    private func sendToken(_ handler: @escaping (ClientSession, Result<Reply, RoomClientError>) -> Void) {
        switch self.identity.token {
        case .none: break
        case .fixed(let token): self.send(token, .dropped, handler: handler)
        case .provider(let provider):
            self.tokenRequests.ask(provider, for: self.clientID) { [unowned self] result in
                switch result {
                case .success(let token): self.send(token, .dropped, handler: handler)
                case .failure(let error): self.connection.failed(error)
                }
            }
        }
    }

    private func send(
        _ token: String,
        _ persistence: PendingRequests.Persistence,
        handler: @escaping (ClientSession, Result<Reply, RoomClientError>) -> Void
    ) {
        self.requests.ask(persistence, about: .identity) {
            ClientFrameWriter.write(AuthenticateRequest(token: token), callback: $0, into: &$1)
        } handler: { [unowned self] result in
            handler(self, result)
        }
    }

    // MARK: The member data

    func update(memberData: JSON, waiter: Waiter<Void>) {
        if let error = self.connection.finalError { return waiter.answer(.failure(error)) }
        self.identity.memberData = memberData
        // The next handshake sends it. If that is on its way already, `sendChangedMemberData` follows it.
        guard self.connection.isReady else { return waiter.answer(.success(())) }
        self.send(memberData) { waiter.answer($0) }
    }

    /// Sends what the app has changed while the handshake was on its way.
    func sendChangedMemberData() {
        guard let memberData = self.identity.memberData, memberData != self.acceptedMemberData else { return }
        self.send(memberData) { _ in }
    }

    /// Not repeated on the next connection, because its handshake has the newest member data.
    private func send(_ memberData: JSON, handler: @escaping (Result<Void, RoomClientError>) -> Void) {
        self.requests.ask(.fails) {
            ClientFrameWriter.write(UpdateRequest(clientData: memberData.buffer), callback: $0, into: &$1)
        } handler: { [unowned self] result in
            switch result {
            case .success:
                self.acceptedMemberData = memberData
                handler(.success(()))
            case .failure(let error) where error.code == .connectionLost: handler(.success(()))
            case .failure(let error):
                // The broker would refuse the next handshake, too.
                if self.identity.memberData == memberData { self.identity.memberData = self.acceptedMemberData }
                handler(.failure(error))
            }
        }
    }
}
