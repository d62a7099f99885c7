package import RoomModel

/// The handshake of one JSON connection, and the resume that it may ask for: it ends with a `Session`.
///
/// Pure: frames and answers come in, actions go out; `Connection` in RoomDelivery runs them. A frame that has to wait
/// for an earlier one is answered with `.wait` and given again later.
package struct Handshake {
    private var state = State.awaited
    private let roomLimit: Int

    private enum State {
        /// Can transition to: `resuming`, `done`.
        case awaited
        /// The loop that holds the earlier session has been asked. Can transition to: `done`, and back to `awaited`
        /// where the session cannot be opened. Indirect: it would take as much of each connection as a whole session.
        indirect case resuming(HandshakeFrame, TokenGrant?)
        /// The session is open.
        case done
    }

    package enum Action {
        case welcome(Welcome, Session)
        /// Ask the shard that gave the token; `resumeAnswered` gets its answer.
        case resume(token: String)
        case refuse(RequestError)
        case wait
        case none
    }

    /// Looks up the sanctions that hold for a member of this user and `client_id`.
    package typealias SanctionLookup = (_ user: String?, _ client: ClientID) -> ActiveSanctions

    package init(roomLimit: Int) {
        self.roomLimit = roomLimit
    }

    package var isResuming: Bool { self.resumingFrame != nil }

    /// The handshake that waits for an answer about the session that it resumes.
    package var resumingFrame: HandshakeFrame? {
        if case .resuming(let frame, _) = self.state { frame } else { nil }
    }

    /// The first frame of a connection. `newID` is used unless an earlier session is resumed; `now` is in Unix seconds.
    ///
    /// - Parameter address: where the connection comes from; `nil`: from this machine.
    package mutating func received(
        _ frame: HandshakeFrame,
        channel: RoomChannel?,
        newID: ClientID,
        address: IPAddress? = nil,
        now: Int64,
        activeSanctions: SanctionLookup = { _, _ in ActiveSanctions() }
    ) -> Action {
        switch self.state {
        case .awaited:
            guard let channel else {
                return .refuse(Session.noChannel(frame.request.channel).answering(frame.callback))
            }
            let grant: TokenGrant?
            do {
                grant = try frame.request.token.map { token throws(RequestError) in
                    try channel.grant(token, now: now)
                }
            } catch {
                return .refuse(error.answering(frame.callback))
            }
            if let token = frame.request.resume {
                self.state = .resuming(frame, grant)
                return .resume(token: token)
            }
            return self.open(SessionParts(frame, grant, channel, newID, address, earlier: nil), activeSanctions)
        case .resuming: return .wait
        case .done: return .refuse(Self.alreadyDone.answering(frame.callback))
        }
    }

    /// The answer to `.resume`: the earlier session, or `nil` where the token is used, unknown or too late.
    ///
    /// - Parameters:
    ///   - channel: `nil` where it was deleted meanwhile.
    ///   - refusal: why the channel does not take the connection.
    package mutating func resumeAnswered(
        _ earlier: ResumedSession?,
        channel: RoomChannel?,
        refusal: RequestError? = nil,
        newID: ClientID,
        address: IPAddress? = nil,
        activeSanctions: SanctionLookup = { _, _ in ActiveSanctions() }
    ) -> Action {
        guard case .resuming(let frame, let grant) = self.state else { return .none }
        guard let channel, refusal == nil else {
            self.state = .awaited
            return .refuse((refusal ?? Session.noChannel(frame.request.channel)).answering(frame.callback))
        }
        let id = earlier?.clientID ?? newID
        return self.open(SessionParts(frame, grant, channel, id, address, earlier: earlier), activeSanctions)
    }

    private mutating func open(_ parts: SessionParts, _ lookup: SanctionLookup) -> Action {
        let activeSanctions = lookup(parts.grant?.user, parts.id)
        if let error = parts.grant?.refusal(of: parts.id) ?? activeSanctions.channelBan.map({ .banned($0) }) {
            self.state = .awaited
            return .refuse(error.answering(parts.frame.callback))
        }
        self.state = .done
        let session = Session(
            identity: parts.identity,
            authorization: Authorization(parts.channel.authorization(parts.grant)),
            activeSanctions: activeSanctions,
            roomLimit: self.roomLimit
        )
        return .welcome(parts.welcome(requiresAuthentication: session.authorization.state == .awaited), session)
    }

    // MARK: Errors

    /// The answer to every other frame before the handshake.
    package static let required = RequestError(
        .handshakeRequired,
        "the first frame has to be a handshake: {\"type\":\"handshake\",\"channel\":\"ID\",\"callback\":0}"
    )

    /// The answer to a second handshake.
    package static let alreadyDone = RequestError(
        .alreadyConnected,
        "this connection has already had its handshake; open another connection for another client"
    )
}

/// All that a session is opened with.
private struct SessionParts {
    let frame: HandshakeFrame
    let grant: TokenGrant?
    let channel: RoomChannel
    let id: ClientID
    let address: IPAddress?
    let earlier: ResumedSession?

    init(
        _ frame: HandshakeFrame,
        _ grant: TokenGrant?,
        _ channel: RoomChannel,
        _ id: ClientID,
        _ address: IPAddress?,
        earlier: ResumedSession?
    ) {
        self.frame = frame
        self.grant = grant
        self.channel = channel
        self.id = id
        self.address = address
        self.earlier = earlier
    }

    var identity: Identity {
        Identity(
            channel: self.channel,
            clientID: self.id,
            clientData: self.frame.request.clientData ?? self.earlier?.clientData,
            authData: self.grant?.authData,
            user: self.grant?.user,
            address: self.address
        )
    }

    func welcome(requiresAuthentication: Bool) -> Welcome {
        Welcome(
            callback: self.frame.callback,
            clientID: self.id,
            isResumable: self.frame.request.resumable,
            resumed: self.frame.request.resume.map { _ in self.earlier != nil },
            heartbeat: self.frame.request.heartbeat,
            requiresAuthentication: requiresAuthentication,
            lingeringRooms: self.earlier?.rooms ?? []
        )
    }
}
