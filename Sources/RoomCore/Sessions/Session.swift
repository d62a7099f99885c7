package import NIOCore
package import RoomModel

/// The state that only a client with an accepted handshake has: identity, rooms, sanctions and authorization.
///
/// Pure: frames and answers come in, actions go out; `Member` in RoomDelivery runs them. Frames take effect in the
/// order sent: a frame that has to wait for an earlier one is answered with `.wait` and given again later.
package struct Session {
    package private(set) var identity: Identity
    /// The rooms it is in or joining, in the order of subscribing.
    package private(set) var rooms = InsertionOrderedDictionary<RoomName, Membership>()
    /// How many of the rooms have not answered yet.
    private var joining = 0
    /// A query whose answer is large is under way.
    var isQuerying = false
    /// The bans and mutes that hold for it; a ban from the channel never does.
    package internal(set) var activeSanctions: ActiveSanctions {
        didSet { self.isSanctioned = !self.activeSanctions.isClear }
    }
    /// Whether any sanction holds: for hardly any member one does.
    package private(set) var isSanctioned: Bool
    private let roomLimit: Int
    var authorization: Authorization

    package enum Membership: Equatable, Sendable {
        case joining
        case joined
        /// It has subscribed once more, and the room has not answered that yet.
        case renewing
        /// It was taken out while that was on its way, so the room may answer as to a member.
        case rejoining
    }

    init(identity: Identity, authorization: Authorization, activeSanctions: ActiveSanctions, roomLimit: Int) {
        self.identity = identity
        self.authorization = authorization
        self.activeSanctions = activeSanctions
        self.isSanctioned = !activeSanctions.isClear
        self.roomLimit = roomLimit
    }

    /// The session of a plain-text client, which has no handshake.
    package init(
        textIn channel: RoomChannel,
        id: ClientID,
        address: IPAddress? = nil,
        activeSanctions: ActiveSanctions = ActiveSanctions()
    ) {
        self.init(
            identity: Identity(channel: channel, clientID: id, clientData: nil, address: address),
            authorization: Authorization(.unrestricted),
            activeSanctions: activeSanctions,
            roomLimit: 1
        )
    }

    package static let unknownChannel = RequestError(
        .unknownChannel,
        "there is no channel with this id; the broker's operator can create it"
    )

    /// - Parameter id: that was asked for; named where it can be one.
    package static func noChannel(_ id: String) -> RequestError {
        guard let id = ChannelID(id) else { return self.unknownChannel }
        return RequestError(.unknownChannel, "there is no channel \"\(id)\"; the broker's operator can create it")
    }

    /// Why nothing but `authenticate` is answered now: a token is missing where the channel requires one.
    package func refusal(_ callback: Int64?) -> RequestError? { self.authorization.refusal?.answering(callback) }

    /// Whether all subscribes have been answered.
    package var isSettled: Bool { self.joining == 0 }

    // MARK: Rooms

    package enum SubscribeAction: Equatable {
        /// Join these; the rest of the plan is refused already. `joinAnswered` gets each answer.
        case join(JoinPlan)
        case refuse(RequestError)
        case wait
    }

    /// - Parameter placesLeft: how many more rooms the broker has memory for.
    package mutating func subscribeReceived(
        _ request: SubscribeRequest,
        placesLeft: Int = .max,
        callback: Int64?
    ) -> SubscribeAction {
        if let error = self.refusal(callback) { return .refuse(error) }
        switch request.rooms {
        case .one(let room):
            guard !self.isAsked(room) else { return .wait }
            if let error = self.join(room, placesLeft > 0) {
                return .refuse(error.answering(callback))
            }
            return .join(JoinPlan(callback: callback, isMany: false, rooms: [.success(room)], request: request))
        case .many(let names):
            // asked again after each answer of a room, as in `unsubscribeReceived`
            guard self.isSettled else { return .wait }
            var seen: Set<RoomName> = []
            let before = self.rooms.count
            let rooms = names.compactMap { name -> Result<RoomName, RequestError>? in
                // one that is named twice counts once
                if case .success(let room) = name, !seen.insert(room).inserted { return nil }
                return name.flatMap { room in
                    let hasPlace = self.rooms.count - before < placesLeft
                    return self.join(room, hasPlace).map { .failure($0) } ?? .success(room)
                }
            }
            return .join(JoinPlan(callback: callback, isMany: true, rooms: rooms, request: request))
        }
    }

    /// Why the member may not be in the room at all.
    package mutating func refusal(ofJoining room: RoomName) -> RequestError? {
        if let ban = self.ban(from: room) { return ban }
        return self.permission(for: room).subscribe ? nil : .denied("subscribe to", room)
    }

    private mutating func join(_ room: RoomName, _ hasPlace: Bool) -> RequestError? {
        if let error = self.refusal(ofJoining: room) { return error }
        if self.rooms[room] != nil {
            self.set(.renewing, room)
            return nil
        }
        guard self.rooms.count < self.roomLimit else {
            return RequestError(
                .tooManyRooms,
                "a connection can be in at most \(self.roomLimit) rooms; unsubscribe from one first",
                room: room
            )
        }
        guard hasPlace else {
            return RequestError(
                .tooManyRooms,
                "the broker has no memory left for more subscriptions; try again later, with fewer rooms",
                room: room
            )
        }
        self.set(.joining, room)
        return nil
    }

    /// Whether a subscribe to the room has not been answered yet.
    private func isAsked(_ room: RoomName) -> Bool {
        switch self.rooms[room] {
        case .joining, .renewing, .rejoining: true
        case .joined, .none: false
        }
    }

    /// The room's owner has let the member in, or not. A member that was in the room before stays in it.
    package mutating func joinAnswered(_ room: RoomName, joined: Bool) {
        switch self.rooms[room] {
        case .joining, .rejoining: self.set(joined ? .joined : nil, room)
        case .renewing: self.set(.joined, room)
        case .joined, .none: return
        }
    }

    package enum UnsubscribeAction: Equatable {
        /// Leave those that are names; answer all.
        case leave([Result<RoomName, RequestError>], isMany: Bool)
        case refuse(RequestError)
        case wait
    }

    package mutating func unsubscribeReceived(_ selection: RoomSelection, callback: Int64?) -> UnsubscribeAction {
        if let error = self.refusal(callback) { return .refuse(error) }
        switch selection {
        case .one(let room):
            switch self.leave(room) {
            case .none: return .wait
            case .failure(let error): return .refuse(error.answering(callback))
            case .success: return .leave([.success(room)], isMany: false)
            }
        case .many(let names):
            // asked again after each answer of a room: to look at all of the names each time takes quadratic time
            guard self.isSettled else { return .wait }
            return .leave(names.map { name in name.flatMap { self.leave($0) ?? .success($0) } }, isMany: true)
        }
    }

    /// `nil` while the join is under way.
    private mutating func leave(_ room: RoomName) -> Result<RoomName, RequestError>? {
        switch self.rooms[room] {
        case .joining, .renewing, .rejoining: return nil
        case .joined:
            self.set(nil, room)
            return .success(room)
        case .none:
            return .failure(
                RequestError(.notSubscribed, "not subscribed to this room, so there is nothing to leave", room: room)
            )
        }
    }

    /// The room has taken this member out, or another connection has resumed the session.
    ///
    /// - Parameter isAskedAgain: a subscribe is on its way to the room, which lets the member in anew or refuses it.
    package mutating func removed(from room: RoomName, isAskedAgain: Bool = false) {
        self.set(isAskedAgain ? .rejoining : nil, room)
    }

    private mutating func set(_ membership: Membership?, _ room: RoomName) {
        if self.isAsked(room) { self.joining -= 1 }
        self.rooms[room] = membership
        if self.isAsked(room) { self.joining += 1 }
    }

    // MARK: Publishing

    package enum PublishAction: Equatable {
        case publish(PublishCommand)
        case refuse(RequestError)
    }

    /// The way of every message: `mutating`, so that a caller that holds the session in a class does not copy it.
    package mutating func publishReceived(_ request: PublishRequest, origin: Origin) -> PublishAction {
        let permission = self.permission(for: request.room)
        if let error = self.authorization.refusal ?? self.refusal(of: request, permission) {
            return .refuse(error.answering(origin.callback, aboutPublishTo: request.room, request.messageID))
        }
        return .publish(
            PublishCommand(
                origin: origin,
                sender: self.identity.sender,
                message: request.message,
                messageID: request.messageID,
                isEphemeral: request.isEphemeral,
                echoes: request.echoes,
                author: permission.moderate ? nil : self.identity.author
            )
        )
    }

    private func refusal(of request: PublishRequest, _ permission: RoomPermission) -> RequestError? {
        self.identity.channel.refusal(
            ofMessageBytes: request.message.readableBytes,
            into: request.room,
            mayPublish: permission.publish,
            sanction: self.isSanctioned ? self.sanction(onPublishingInto: request.room) : nil
        )
    }

    // MARK: Member data

    /// New member data from the client; the new identity is what the rooms are told.
    package mutating func updated(clientData: ByteBuffer) {
        self.identify { $0.with(clientData: clientData) }
    }

    mutating func identify(_ change: (Identity) -> Identity) {
        self.identity = change(self.identity)
    }
}
