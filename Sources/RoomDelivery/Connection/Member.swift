import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A client that has had its handshake: its session, its places in the logs of rooms, and what it may still do. Its
/// connection owns it, until the session ends.
///
/// Its requests are decided by `Session`, in the order sent; what rooms tell it comes to its subscribers.
final class Member {
    let connection: Connection
    var session: Session
    var subscriptions = Subscriptions()
    var joins = PendingJoins()
    /// The unasked rooms of the subscribe that is being handled.
    var unasked: UnaskedRooms?
    /// How many rooms the token was asked about of those that the subscribe names that is being handled.
    var asked = 0
    /// The rooms that the `authenticate` that is being handled has not asked the token about.
    var roomsToCheck: RoomsToCheck?
    /// The departure of the unsubscribe that is being handled.
    var departure: Departure?
    var resumption: Resumption
    var tokenWatch = TokenWatch()
    private var allowance: PublishAllowance
    /// `nil`: it is not pinged.
    private var heartbeat: Heartbeat?
    /// Where it published last, if this shard owns the room: most publish to one room.
    private var lastPublished: OwnedRoom?
    /// Its places in rooms, as the shard has counted them.
    private var countedPlaces = 0
    /// The rooms that have not been told of its newest data.
    var untold = UntoldRooms()
    /// A subscriber could not be written to when there was something for it.
    var owesDelivery = false
    /// Something that it has published may be on its way to it.
    private(set) var hasPublished = false
    /// It has asked for something since its handshake.
    private(set) var hasAsked = false

    /// - Parameter publishes: what the resumed session might still publish under the channel's rate.
    init(_ connection: Connection, _ session: Session, _ resumption: Resumption, publishes: TokenBucket?) {
        let now = connection.shard.now.uptimeNanoseconds
        self.connection = connection
        self.session = session
        self.resumption = resumption
        self.allowance = PublishAllowance(rate: connection.shard.limits.publishRate, now: now)
        self.allowance.limitMember(in: session.identity.channel, from: publishes, now: now)
    }

    var shard: RoomShard { self.connection.shard }
    /// The messages that it may still publish under the channel's rate.
    var publishesLeft: TokenBucket? { self.allowance.member }
    var channel: RoomChannel { self.session.identity.channel }
    var clientID: ClientID { self.session.identity.clientID }

    func submit(_ command: RoomCommand, to room: RoomName) {
        self.connection.share.spend(Work.command)
        self.shard.submit(command, to: room, in: self.channel)
    }

    /// It may have other rooms than before.
    func countPlaces() {
        let data = MemoryBound.places(ofData: self.session.identity.clientData?.readableBytes ?? 0)
        self.count(places: self.session.rooms.count + self.resumption.lingeringRooms + data)
    }

    /// It has no rooms any more.
    func countNoPlaces() { self.count(places: 0) }

    private func count(places: Int) {
        self.shard.context.memory.places += places - self.countedPlaces
        self.countedPlaces = places
    }

    /// How many more rooms there is memory for; those that linger for it have theirs.
    var placesLeft: Int {
        let left = self.shard.context.memory.placesLeft(forOneIn: self.session.rooms.count)
        return left < .max ? left + self.resumption.lingeringRooms : left
    }

    // MARK: The beginning

    /// The handshake has been accepted, or a plain-text client has come.
    ///
    /// - Parameter seconds: between pings, where it asked for them.
    func begin(heartbeat seconds: Int?) {
        let number = self.connection.ref.number
        self.countPlaces()
        if self.resumption.hasLingeringRooms {
            // by this token it may be another user, or it comes from another address
            self.leaveBannedRooms()
            self.shard.setDeadline(.lingering(connection: number), in: TimeAmount(self.channel.settings.grace))
        }
        if let seconds {
            self.begin(Heartbeat(interval: .seconds(Int64(seconds)), lastHeard: self.shard.now, kind: .asked))
        } else if let kind = self.connection.wireFormat.ping, let interval = self.shard.limits.webSocketPing {
            self.begin(Heartbeat(interval: TimeAmount(interval), lastHeard: self.shard.now, kind: kind))
        }
        self.watchToken()
        if self.session.lackOfToken != nil { self.lookAtToken(in: TimeAmount(self.shard.limits.tokenTime)) }
        self.shard.entered(self)
        self.shard.environment.observer?.welcomed(self.connection.ref, as: self.clientID, in: self.channel.id)
        self.shard.tell(.connected(self.channel.id, self.clientID, address: self.connection.address?.description))
    }

    private func begin(_ heartbeat: Heartbeat) {
        self.heartbeat = heartbeat
        self.shard.setDeadline(.heartbeat(connection: self.connection.ref.number), in: heartbeat.interval)
    }

    // MARK: Requests

    /// The client has sent a line. Reviews what a ban or a mute could forbid in it: a sanction that has ended does not
    /// hold, though its deadline may be late.
    ///
    /// - Returns: whether the session is still open.
    func heard() -> Bool {
        self.heardFromPeer()
        self.hasAsked = true
        guard self.session.isSanctioned else { return true }
        self.reviewEndedSanctions()
        return self.connection.member === self
    }

    func heardFromPeer() {
        self.heartbeat?.lastHeard = self.shard.now
    }

    func handle(_ frame: ClientFrame) -> Connection.Handling {
        defer { self.payForPermissions() }
        let callback = frame.callback
        switch frame.request {
        case .publish(let request): self.publish(request, callback: callback)
        case .handshake: self.connection.refuse(Handshake.alreadyDone.answering(callback))
        case .subscribe(let request): return self.subscribe(request, callback: callback)
        case .unsubscribe(let selection): return self.unsubscribe(selection, callback: callback)
        case .update(let clientData): self.update(clientData, callback: callback)
        case .members(let room): return self.query(.members(room), callback: callback) { .members($0) }
        case .history(var request):
            return self.query(.history(request.room), callback: callback) { origin in
                request.depth = self.session.permission(for: request.room).history
                return .history(origin, request)
            }
        case .rooms: return self.listRooms(callback: callback)
        case .moderate(let request): return self.moderate(request, callback: callback)
        case .authenticate(let token): return self.authenticate(token, callback: callback)
        case .ping: self.connection.answerPing(callback)
        case .pong: break
        }
        return .done
    }

    private func publish(_ request: PublishRequest, callback: Int64?) {
        let origin = Origin(connection: self.connection.ref, callback: callback)
        switch self.session.publishReceived(request, origin: origin) {
        case .publish(let command): self.publish(command, to: request.room)
        case .refuse(let error): self.connection.refuse(error)
        }
    }

    private func publish(_ command: PublishCommand, to room: RoomName) {
        if let error = self.rateRefusal() {
            self.connection.refuse(command.refused(error, in: room))
            return
        }
        if command.origin.callback != nil { self.connection.lifecycle.awaited += 1 }
        self.deliver(command, to: room)
    }

    func deliver(_ command: PublishCommand, to room: RoomName) {
        self.hasPublished = true
        if let owned = self.lastPublished, owned.key.room == room, !owned.isForgotten {
            self.charge(command, in: owned)
            self.shard.owner.take(.publish(command), in: owned)
        } else {
            self.connection.share.spend(Work.command)
            let owned = self.shard.submit(.publish(command), to: room, in: self.channel)
            self.lastPublished = owned
            if let owned { self.charge(command, in: owned) }
        }
    }

    /// The bytes of its data that are more than most have, and go to each of those who are told of it.
    private var largeData: Int {
        max(0, self.session.identity.sender.json.readableBytes - 2 * MemoryBound.uncountedData)
    }

    /// The others are told of its data: it pays for that where it is large.
    func chargeData(in owned: OwnedRoom?) {
        guard let owned, self.largeData > 0 else { return }
        let work = owned.work(ofDelivering: self.largeData, in: self.shard.context.turn)
        self.connection.share.cause(work)
    }

    private func charge(_ command: PublishCommand, in owned: OwnedRoom) {
        let turn = self.shard.context.turn
        let bytes = command.message.readableBytes + self.largeData
        self.connection.share.cause(owned.work(ofDelivering: bytes, in: turn))
    }

    private func update(_ clientData: ByteBuffer, callback: Int64?) {
        let tooLarge = self.connection.refusal(ofClientData: clientData, in: self.channel)
        if let error = self.session.refusal(callback) ?? (tooLarge ?? self.updateRefusal())?.answering(callback) {
            self.connection.refuse(error)
            return
        }
        self.session.updated(clientData: clientData)
        self.countPlaces()
        self.tellRooms()
        if let callback { self.connection.reply { $0.reply(to: callback) } }
    }

    private func query(
        _ query: Session.Query,
        callback: Int64?,
        _ command: (Origin) -> RoomCommand
    ) -> Connection.Handling {
        switch self.session.queryReceived(query, callback: callback) {
        case .wait: return .wait
        case .refused(let error): self.connection.refuse(error)
        case .admitted:
            self.connection.lifecycle.awaited += 1
            let origin = Origin(connection: self.connection.ref, callback: callback, isQuery: true)
            self.submit(command(origin), to: query.room)
        }
        return .done
    }

    private func moderate(_ request: ModerationRequest, callback: Int64?) -> Connection.Handling {
        switch self.session.moderateReceived(request, callback: callback) {
        case .wait: return .wait
        case .refused(let error): self.connection.refuse(error)
        case .admitted:
            if let error = self.actRefusal() {
                self.session.queryAnswered()
                self.connection.refuse(error.answering(callback))
            } else {
                self.perform(request, callback: callback)
            }
        }
        return .done
    }

    private func perform(_ request: ModerationRequest, callback: Int64?) {
        guard let moderationService = self.shard.moderationService else { return }
        self.connection.lifecycle.awaited += 1
        // the rooms have what was published before they hear of the act
        self.shard.flushOutbox()
        let (ref, number) = (self.shard.ref, self.connection.ref.number)
        moderationService.perform(
            request.act,
            in: RoomKey(channel: self.channel.id, room: request.room),
            by: self.session.moderator(address: self.connection.address)
        ) { result in
            ref.post { $0.connections[number]?.moderated(result, callback: callback) }
        }
    }

    // MARK: Rates

    /// Why a message cannot be published just now; `nil` where it can.
    func rateRefusal() -> RequestError? {
        let channel = self.channel
        guard self.allowance.isLimited(in: channel) else { return nil }
        return self.allowance.refusal(in: channel, now: self.shard.now.uptimeNanoseconds)
    }

    private func actRefusal() -> RequestError? {
        self.rateRefusal() ?? self.allowance.refusalOfAct(now: self.shard.now.uptimeNanoseconds)
    }

    /// Why the member may not be shown otherwise just now; `nil` where it may.
    func updateRefusal() -> RequestError? { self.session.sanctionOnUpdate ?? self.rateRefusal() }

    /// The channel has other settings from now on.
    func channelChanged(_ channel: RoomChannel) {
        if let error = self.session.channelChanged(channel) {
            self.connection.goodbye(error.code, reason: error.text)
            return
        }
        let now = self.shard.now.uptimeNanoseconds
        self.allowance.limitMember(in: channel, from: self.allowance.member, now: now)
        self.watchToken()
    }

    func heartbeatDue() {
        let writer = self.connection.writer
        let now = self.shard.now
        // what it has sent may be among what waits
        if let heartbeat, self.shard.cutOff.hasWaiting(self.connection.ref.number) {
            return self.shard.setDeadline(.heartbeat(connection: self.connection.ref.number), in: heartbeat.interval)
        }
        guard let step = self.heartbeat?.step(at: now, isBlocked: writer.isBlocked, progress: writer.unblocked),
            let kind = self.heartbeat?.kind
        else { return }
        let next: TimeAmount
        switch step {
        case .end:
            let reason = writer.isBlocked ? "the client reads nothing" : "the client sent nothing for two heartbeats"
            self.connection.goodbye(.heartbeatTimeout, reason: reason)
            return
        case .look(let time): next = time
        case .ping(let time):
            next = time
            switch kind {
            case .asked: self.connection.reply { $0.type(BrokerFrameType.ping) }
            case .ofSilence: self.connection.ping()
            case .unanswered: self.connection.eventPing()
            }
        }
        self.shard.setDeadline(.heartbeat(connection: self.connection.ref.number), in: next)
    }

    // MARK: Delivery

    /// Something is left to deliver.
    var hasDeliveries: Bool { self.owesDelivery || self.subscriptions.hasTurnsLeft }

    /// Delivers to the rooms in turn; what is beyond the budget follows when the connection is flushed again.
    ///
    /// - Returns: whether every room has had its turn.
    func deliverOwed(_ budget: inout WorkBudget) -> Bool {
        if self.owesDelivery { self.subscriptions.beginTurns(of: self.session.rooms.slotCount) }
        self.owesDelivery = false
        self.beginAnswered(&budget)
        let writer = self.connection.writer
        while let index = self.subscriptions.nextTurn(of: self.session.rooms.slotCount) {
            guard let room = self.session.rooms.key(atSlot: index), let subscriber = self.subscriptions[room] else {
                continue
            }
            let writes = writer.writes
            subscriber.deliver()
            if subscriber.hasEnded { self.detached(subscriber) }
            if writer.isBlocked { return false }
            budget.spend(1 + (writer.writes - writes) * Work.write(bytes: 0))
            if budget.isSpent, self.subscriptions.hasTurnsLeft {
                self.shard.enqueue(self.connection)
                return false
            }
        }
        return true
    }

    // MARK: The end

    var progress: ConnectionLifecycle.Progress {
        ConnectionLifecycle.Progress(
            isSettled: self.session.isSettled && self.untold.isEmpty,
            isCaughtUp: self.subscriptions.areCaughtUp,
            hasSubscribers: !self.subscriptions.isEmpty
        )
    }
}

extension WireFormat {
    /// How clients are pinged that have not asked for it; `nil`: they are not.
    fileprivate var ping: Heartbeat.Kind? {
        switch self {
        case .jsonLines, .textLines: nil
        case .webSocket: .ofSilence
        case .events: .unanswered
        }
    }
}
