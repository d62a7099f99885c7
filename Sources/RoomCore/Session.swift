package import NIOCore
package import OrderedCollections
package import RoomModel

/// One JSON connection's life in the protocol: what it may ask now, who it is, which rooms it is in.
///
/// Pure: frames and answers come in, actions go out; `Connection` in RoomDelivery runs them. Frames take effect in the
/// order sent: a frame that has to wait for an earlier one is answered with `.wait` and given again later.
package struct Session {
    package private(set) var state: State = .awaitingHandshake
    /// Who this is; set by the handshake.
    package private(set) var identity: Identity?
    /// The rooms it is in or joining, in the order of subscribing.
    package private(set) var rooms: OrderedDictionary<RoomName, Membership> = [:]
    /// A query whose answer is large is under way.
    var isQuerying = false
    /// The bans and mutes that hold for it; a ban from the channel never does.
    package internal(set) var activeSanctions = ActiveSanctions() {
        didSet { self.isSanctioned = !self.activeSanctions.isClear }
    }
    /// Whether the standing says anything: it does of hardly anybody.
    package private(set) var isSanctioned = false
    private let roomLimit: Int
    /// Where the connection comes from; set before the handshake.
    package var address: IPAddress?
    var authorization = Authorization(.unrestricted)

    package enum State: Equatable, Sendable {
        /// Can transition to: `resuming`, `open`, `closed`.
        case awaitingHandshake
        /// The loop that holds the earlier session has been asked. Can transition to: `open`, `closed`, and back to
        /// `awaitingHandshake` where the token is another client's.
        case resuming(HandshakeFrame, TokenGrant?)
        /// Can transition to: `closed`.
        case open
        case closed
    }

    package enum Membership: Equatable, Sendable {
        case joining
        case joined
    }

    package init(roomLimit: Int) {
        self.roomLimit = roomLimit
    }

    /// The session of a plain-text client, which has no handshake.
    package init(
        textIn channel: RoomChannel,
        id: ClientID,
        address: IPAddress? = nil,
        activeSanctions: ActiveSanctions = ActiveSanctions()
    ) {
        self.roomLimit = 1
        self.address = address
        self.activeSanctions = activeSanctions
        self.isSanctioned = !activeSanctions.isClear
        self.state = .open
        self.identity = Identity(
            channel: channel,
            clientID: id,
            clientData: nil,
            address: address
        )
    }

    // MARK: Handshake

    package enum HandshakeAction: Equatable {
        case welcome(Welcome)
        /// Ask the shard that gave the token; `resumeAnswered` gets its answer.
        case resume(token: String)
        case refuse(RequestError)
        case wait
        case none
    }

    /// What holds for a member of this user and `client_id`.
    package typealias SanctionLookup = (_ user: String?, _ client: ClientID) -> ActiveSanctions

    /// The first frame of a connection. `newID` is used unless an earlier session is resumed; `now` is in Unix seconds.
    package mutating func handshakeReceived(
        _ frame: HandshakeFrame,
        channel: RoomChannel?,
        newID: ClientID,
        now: Int64,
        activeSanctions: SanctionLookup = { _, _ in ActiveSanctions() }
    ) -> HandshakeAction {
        switch self.state {
        case .awaitingHandshake:
            guard let channel else { return .refuse(Self.unknownChannel.answering(frame.callback)) }
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
            return self.opened(frame, grant, channel: channel, id: newID, earlier: nil, activeSanctions)
        case .resuming:
            return .wait
        case .open:
            return .refuse(
                RequestError(
                    .alreadyConnected,
                    "this connection has already had its handshake; open another connection for another client",
                    callback: frame.callback
                )
            )
        case .closed:
            return .none
        }
    }

    package static let unknownChannel = RequestError(
        .unknownChannel,
        "there is no channel with this id; the broker's operator can create it"
    )

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
        activeSanctions: SanctionLookup = { _, _ in ActiveSanctions() }
    ) -> HandshakeAction {
        guard case .resuming(let frame, let grant) = self.state else { return .none }  // benign race: closed meanwhile
        guard let channel, refusal == nil else {
            self.state = .awaitingHandshake
            return .refuse((refusal ?? Self.unknownChannel).answering(frame.callback))
        }
        return self.opened(
            frame,
            grant,
            channel: channel,
            id: earlier?.clientID ?? newID,
            earlier: earlier,
            activeSanctions
        )
    }

    private mutating func opened(
        _ frame: HandshakeFrame,
        _ grant: TokenGrant?,
        channel: RoomChannel,
        id: ClientID,
        earlier: ResumedSession?,
        _ lookup: SanctionLookup
    ) -> HandshakeAction {
        let activeSanctions = lookup(grant?.user, id)
        if let error = grant?.refusal(of: id) ?? activeSanctions.channelBan.map({ .banned($0) }) {
            self.state = .awaitingHandshake
            return .refuse(error.answering(frame.callback))
        }
        self.activeSanctions = activeSanctions
        self.authorization = Authorization(channel.authorization(grant))
        self.identity = Identity(
            channel: channel,
            clientID: id,
            clientData: frame.request.clientData ?? earlier?.clientData,
            authData: grant?.authData,
            user: grant?.user,
            address: self.address
        )
        self.state = .open
        return .welcome(
            Welcome(
                callback: frame.callback,
                clientID: id,
                isResumable: frame.request.resumable,
                resumed: frame.request.resume.map { _ in earlier != nil },
                heartbeat: frame.request.heartbeat,
                requiresAuthentication: self.authorization.state == .awaited,
                lingeringRooms: earlier?.rooms ?? []
            )
        )
    }

    // MARK: Rooms

    package enum SubscribeAction: Equatable {
        /// Join these; the rest of the plan is refused already. `joinAnswered` gets each answer.
        case join(JoinPlan)
        case refuse(RequestError)
        case wait
        case none
    }

    package mutating func subscribeReceived(_ request: SubscribeRequest, callback: Int64?) -> SubscribeAction {
        switch self.admission(callback) {
        case .refused(let error): return .refuse(error)
        case .wait: return .wait
        case .closed: return .none
        case .admitted: break
        }
        switch request.rooms {
        case .one(let room):
            if let error = self.join(room) {
                return .refuse(error.answering(callback))
            }
            return .join(JoinPlan(callback: callback, isMany: false, rooms: [.success(room)], request: request))
        case .many(let names):
            let rooms = names.map { name in
                name.flatMap { room in self.join(room).map { .failure($0) } ?? .success(room) }
            }
            return .join(JoinPlan(callback: callback, isMany: true, rooms: rooms, request: request))
        }
    }

    private mutating func join(_ room: RoomName) -> RequestError? {
        if let ban = self.ban(from: room) { return ban }
        guard self.permission(for: room).subscribe else { return .denied("subscribe to", room) }
        if self.rooms[room] != nil {
            return RequestError(.alreadySubscribed, "already subscribed to this room; unsubscribe first", room: room)
        }
        guard self.rooms.count < self.roomLimit else {
            return RequestError(
                .tooManyRooms,
                "a connection can be in at most \(self.roomLimit) rooms; unsubscribe from one first",
                room: room
            )
        }
        self.rooms[room] = .joining
        return nil
    }

    /// The room's owner has let the member in, or not.
    package mutating func joinAnswered(_ room: RoomName, joined: Bool) {
        guard self.rooms[room] == .joining else { return }  // benign race: closed meanwhile
        if joined {
            self.rooms[room] = .joined
        } else {
            self.rooms.removeValue(forKey: room)
        }
    }

    package enum UnsubscribeAction: Equatable {
        /// Leave those that are names; answer all.
        case leave([Result<RoomName, RequestError>], isMany: Bool)
        case refuse(RequestError)
        case wait
        case none
    }

    package mutating func unsubscribeReceived(_ selection: RoomSelection, callback: Int64?) -> UnsubscribeAction {
        switch self.admission(callback) {
        case .refused(let error): return .refuse(error)
        case .wait: return .wait
        case .closed: return .none
        case .admitted: break
        }
        switch selection {
        case .one(let room):
            switch self.leave(room) {
            case .none: return .wait
            case .failure(let error): return .refuse(error.answering(callback))
            case .success: return .leave([.success(room)], isMany: false)
            }
        case .many(let names):
            let isJoining = names.contains { name in (try? name.get()).map { self.rooms[$0] == .joining } ?? false }
            guard !isJoining else { return .wait }
            return .leave(names.map { name in name.flatMap { self.leave($0) ?? .success($0) } }, isMany: true)
        }
    }

    /// `nil` while the join is under way.
    private mutating func leave(_ room: RoomName) -> Result<RoomName, RequestError>? {
        switch self.rooms[room] {
        case .joining: return nil
        case .joined:
            self.rooms.removeValue(forKey: room)
            return .success(room)
        case .none:
            return .failure(
                RequestError(.notSubscribed, "not subscribed to this room, so there is nothing to leave", room: room)
            )
        }
    }

    /// A room let this member go (overflow, removal), or it has been taken over.
    package mutating func removed(from room: RoomName) {
        self.rooms.removeValue(forKey: room)
    }

    // MARK: Publishing

    package enum PublishAction: Equatable {
        case publish(PublishCommand)
        case refuse(RequestError)
        case wait
        case none
    }

    /// The way of every message: `mutating`, so that a caller that holds the session in a class does not copy it.
    package mutating func publishReceived(_ request: PublishRequest, origin: Origin) -> PublishAction {
        switch self.admission(origin.callback) {
        case .refused(let error):
            return .refuse(error.answering(origin.callback, aboutPublishTo: request.room, request.messageID))
        case .wait: return .wait
        case .closed: return .none
        case .admitted: break
        }
        let permission = self.permission(for: request.room)
        if let error = self.refusal(of: request, permission) {
            return .refuse(error.answering(origin.callback, aboutPublishTo: request.room, request.messageID))
        }
        // not the whole identity: each copy of one counts up all that it holds
        guard let sender = self.identity?.sender, let author = self.identity?.author else { return .none }
        return .publish(
            PublishCommand(
                origin: origin,
                sender: sender,
                message: request.message,
                messageID: request.messageID,
                isEphemeral: request.isEphemeral,
                echoes: request.echoes,
                author: permission.moderate ? nil : author
            )
        )
    }

    private func refusal(of request: PublishRequest, _ permission: RoomPermission) -> RequestError? {
        if self.isSanctioned, let error = self.sanction(onPublishingInto: request.room) { return error }
        guard permission.publish else { return .denied("publish into", request.room) }
        return self.identity?.channel.refusal(ofMessageBytes: request.message.readableBytes)
    }

    // MARK: Everything else

    package enum Admission: Equatable {
        case admitted
        case refused(RequestError)
        case wait
        case closed
    }

    /// Whether a frame that needs a handshake, and a token where the channel requires one, can be handled now.
    package func admission(_ callback: Int64?) -> Admission {
        let admission = self.connected(callback)
        guard admission == .admitted, let error = self.authorization.refusal else { return admission }
        return .refused(error.answering(callback))
    }

    /// Whether a frame that needs a handshake can be handled now.
    func connected(_ callback: Int64?) -> Admission {
        switch self.state {
        case .open: .admitted
        case .awaitingHandshake:
            .refused(
                RequestError(
                    .handshakeRequired,
                    "the first frame has to be a handshake: {\"type\":\"handshake\",\"channel\":\"ID\",\"callback\":0}",
                    callback: callback
                )
            )
        case .resuming: .wait
        case .closed: .closed
        }
    }

    /// Whether the handshake and all subscribes have been answered.
    package var isSettled: Bool {
        if case .resuming = self.state { return false }
        return !self.rooms.values.contains(.joining)
    }

    /// New member data from the client; the new identity is what the rooms are told.
    package mutating func updated(clientData: ByteBuffer) {
        self.identify { $0.with(clientData: clientData) }
    }

    mutating func identify(_ change: (Identity) -> Identity) {
        self.identity = self.identity.map(change)
    }

    /// Ends the session; the rooms it was in are to be left, or to linger.
    package mutating func closed() -> [RoomName] {
        self.state = .closed
        defer { self.rooms = [:] }
        return Array(self.rooms.keys)
    }
}
