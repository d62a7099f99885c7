package import NIOCore
import OrderedCollections
package import RoomCore
package import RoomModel
import RoomWire

/// One client's connection: its session, its subscribers, and the way out to it. Confined to its shard's event loop.
///
/// The transport feeds it frames (`Connection+Requests`) or text lines (`Connection+Text`), and drives what it cannot do
/// itself: reading on, and closing.
package final class Connection {
    package let ref: ConnectionRef
    let shard: RoomShard
    let writer: ConnectionWriter
    /// Set before anything is written.
    package var wireFormat = WireFormat.jsonLines {
        didSet { if self.wireFormat != oldValue { self.shard.tally.changed(oldValue, to: self.wireFormat) } }
    }
    /// Of the peer, or of whom a proxy speaks for; set by the transport before anything is read.
    package var address: IPAddress? { didSet { self.session.address = self.address } }
    var session: Session
    var subscribers: [RoomName: Subscriber] = [:]
    var joins = PendingJoins()
    var token: String?
    var lingeringRooms: Set<RoomName> = []
    var heartbeat: Heartbeat?
    /// Where it published last, if this shard owns the room: most publish to one room.
    var lastPublished: OwnedRoom?
    /// `nil`: it may publish as fast as it can.
    var publishBucket: TokenBucket?
    /// The channel's limit for one member; a resumed session goes on with it.
    var memberBucket: TokenBucket?
    /// What is left of the acts that it may do as a moderator; `nil`: it has done none.
    var actBucket: TokenBucket?
    /// Where the connection is counted from its handshake on.
    var countedIn: ChannelUsage?
    /// When the token is to be looked at, and the deadline that is set for it, which may be an earlier one.
    var tokenDue: NIODeadline?
    var tokenTimer: NIODeadline?
    /// Unix milliseconds.
    let connectedAt: Int64
    /// Waits in the shard's queue for its replies to be flushed.
    var isQueued = false
    /// A subscriber could not be written to when there was something for it.
    var owesDelivery = false
    /// The room whose turn it is to be delivered to.
    private var nextRoom = 0
    private var ending = Ending.none
    private var hasInputEnded = false
    private var isReadingHeld = false
    /// Why the broker ends the connection.
    private var goodbyeCode: Code?
    /// Answers that are still to come.
    var awaited = 0
    /// Told when a frame that had to wait may be given again.
    package var onReady: (() -> Void)?
    /// Told once, when the session has ended: what is read from now on is dropped.
    package var onEnded: (() -> Void)?

    private enum Ending: Equatable {
        case none
        /// The broker shuts down: what was asked is answered, then comes the goodbye.
        case draining(retryAfterMilliseconds: Int)
        /// The peer has sent all that it will: what it asked is answered and replayed, then its rooms are left.
        case finishing
        /// The rooms are being left; the last deliveries are on their way.
        case leaving
        /// Closes when the replies are written.
        case closing
    }

    init(ref: ConnectionRef, shard: RoomShard, writer: ConnectionWriter) {
        self.ref = ref
        self.shard = shard
        self.writer = writer
        self.connectedAt = shard.environment.clock()
        self.session = Session(roomLimit: shard.limits.roomsPerConnection)
        if shard.limits.publishRate < .max {
            self.publishBucket = TokenBucket(
                perSecond: shard.limits.publishRate,
                now: shard.now.uptimeNanoseconds
            )
        }
        writer.onDrained = { [weak self] in self?.flush() }
    }

    // MARK: Replies

    /// Writes one frame of the broker's own into the reply lane.
    func reply(_ fields: (inout FrameWriter) -> Void) {
        self.reply(stamp: self.shard.brokerStamp(), fields)
    }

    func reply(stamp: Stamp, _ fields: (inout FrameWriter) -> Void) {
        self.writer.reply { FrameWriter.write(into: &$0, stamp: stamp, fields) }
        self.shard.enqueue(self)
    }

    /// Tells the client something of the broker's own: in a frame, or in a line where its wire format has no such frames.
    func tell(_ line: @autoclosure () -> String, stamp: Stamp? = nil, frame: (inout FrameWriter) -> Void) {
        guard self.wireFormat.hasControlFrames else { return self.say(line()) }
        self.reply(stamp: stamp ?? self.shard.brokerStamp(), frame)
    }

    func refuse(_ error: RequestError) {
        self.shard.tally.refused(error.code)
        self.tell(error.text) { $0.error(error) }
    }

    /// Whether so much waits to be read by the peer that nothing more is read from it.
    package var isBackedUp: Bool { self.writer.waitingReplies > self.shard.limits.unreadReplies }

    /// The transport reads no more from the peer until `onReady`, which comes when the replies are on their way.
    package func holdsReading() {
        self.isReadingHeld = true
    }

    /// Why a message cannot be published just now; `nil` where it can.
    func rateRefusal() -> RequestError? {
        guard let channel = self.session.identity?.channel,
            self.publishBucket != nil || self.memberBucket != nil || channel.limitsPublishes
        else { return nil }
        let now = self.shard.now.uptimeNanoseconds
        if let wait = self.publishBucket?.take(now: now) {
            return Self.tooFast(self.shard.limits.publishRate, wait)
        }
        if let rate = channel.settings.limits.memberPublishRate, let wait = self.memberBucket?.take(now: now) {
            return Self.tooFast(rate, wait)
        }
        return channel.publishRefusal(now: now)
    }

    private static func tooFast(_ rate: Int, _ wait: Int) -> RequestError {
        RequestError(
            .rateLimited,
            "more than \(rate) messages a second; wait before the next one",
            retryAfterMilliseconds: wait
        )
    }

    // MARK: Writing

    /// Sends the replies and whatever else waits; called at the end of a turn, and when the peer has read again.
    func flush() {
        self.write()
        if self.isReadingHeld, !self.isBackedUp {
            self.isReadingHeld = false
            self.onReady?()
        }
    }

    private func write() {
        guard self.writer.flush() else { return }
        if self.owesDelivery {
            self.owesDelivery = false
            guard self.deliverOwed() else { return }
        }
        self.finishIfDone()
    }

    /// Delivers to the rooms in turn, beginning behind the one that filled the socket last: a busy room does not starve
    /// the others of a slow reader.
    ///
    /// - Returns: whether every room has had its turn.
    private func deliverOwed() -> Bool {
        let rooms = self.session.rooms.keys
        let first = self.nextRoom
        for step in rooms.indices {
            let index = (first + step) % rooms.count
            guard let subscriber = self.subscribers[rooms[index]] else { continue }
            self.deliver(to: subscriber)
            if self.writer.isBlocked {
                self.nextRoom = index + 1
                return false
            }
        }
        return true
    }

    // MARK: The end

    /// The peer will send nothing more: what it asked is answered, then its rooms are left, then it is closed.
    package func inputEnded() {
        self.hasInputEnded = true
        guard self.ending == .none else {
            self.finishIfDone()
            return
        }
        self.ending = .finishing
        self.shard.setDeadline(.close(connection: self.ref.number), in: .seconds(30))
        self.finishIfDone()
    }

    func finishIfDone() {
        switch self.ending {
        case .none: return
        case .draining(let wait):
            guard self.awaited == 0, self.session.isSettled else { return }
            self.goodbye(.shuttingDown, reason: "the broker is shutting down", retryAfterMilliseconds: wait)
        case .finishing:
            guard self.awaited == 0, self.session.isSettled, self.subscribers.values.allSatisfy(\.isLive) else {
                return
            }
            self.ending = .leaving
            self.leaveInOrder()
            if self.subscribers.isEmpty { self.close() }
        case .leaving:
            if self.subscribers.isEmpty { self.close() }
        case .closing:
            guard self.writer.flush() else { return }
            self.writer.endOutput(andInput: self.hasInputEnded)
            // whoever leaves its socket open, as nc does, does not hold up the end of the broker
            if self.shard.isDraining { self.shard.setDeadline(.close(connection: self.ref.number), in: .seconds(1)) }
        }
    }

    /// Leaves by way of the owners, so that all that was published before is delivered first. A client that can resume
    /// may have been cut off by its own crash: it stays a member for its grace period.
    private func leaveInOrder() {
        guard let identity = self.session.identity else { return }
        let rooms = Array(self.session.rooms.keys)
        if self.token != nil {
            self.lingeringRooms.formUnion(rooms)
            for room in rooms {
                self.shard.submit(.linger(identity.clientID, self.ref), to: room, in: identity.channel)
            }
        } else {
            for room in rooms { self.shard.submit(.leave(identity.clientID, self.ref), to: room, in: identity.channel) }
        }
    }

    /// A room's owner has taken the connection out: it has got all that came before.
    func detached(_ room: RoomName) {
        guard self.ending == .leaving, let subscriber = self.subscribers[room] else { return }
        self.deliver(to: subscriber)
        self.subscribers.removeValue(forKey: room)
        subscriber.replica.remove(subscriber)
        self.session.removed(from: room)
        self.shard.enqueue(self)
    }

    /// Reads nothing more, answers what was read, and says goodbye.
    func drain(retryAfterMilliseconds wait: Int) {
        guard self.ending == .none else { return }
        self.ending = .draining(retryAfterMilliseconds: wait)
        self.onEnded?()
        self.finishIfDone()
    }

    /// Ends the session: a `goodbye`, then the connection is closed as soon as it is written.
    package func goodbye(_ code: Code, reason: String, retryAfterMilliseconds: Int? = nil) {
        guard self.ending != .closing else { return }
        self.shard.tally.saidGoodbye(code)
        self.shard.environment.observer?.saidGoodbye(self.ref, code, reason: reason)
        self.goodbyeCode = code
        self.tell(reason) { $0.goodbye(code, reason: reason, retryAfterMilliseconds: retryAfterMilliseconds) }
        if !code.reconnects { self.forgetToken() }
        self.endSession()
        self.close()
    }

    /// Ends a connection that speaks another protocol, with an answer in kind.
    package func end(with answer: ByteBuffer) {
        self.writer.reply { $0.writeImmutableBuffer(answer) }
        self.endSession()
        self.close()
    }

    private func close() {
        self.ending = .closing
        self.onEnded?()
        self.shard.setDeadline(.close(connection: self.ref.number), in: .seconds(5))
        self.shard.enqueue(self)
    }

    func closeTimedOut() {
        switch self.ending {
        case .finishing, .leaving, .closing: self.writer.abort()
        case .none, .draining: return
        }
    }

    /// The channel is gone.
    package func closed() {
        self.writer.closed()
        self.leaveCount()
        self.endSession()
        self.shard.forget(self)
        self.onReady = nil
        self.onEnded = nil
    }

    /// Leaves all rooms, or lets them linger where the session can be resumed.
    private func endSession() {
        guard self.session.state != .closed else { return }
        let identity = self.session.identity
        if let identity {
            self.shard.tell(.disconnected(identity.channel.id, identity.clientID, code: self.goodbyeCode))
        }
        let rooms = self.session.closed()
        for subscriber in self.subscribers.values { subscriber.replica.remove(subscriber) }
        self.subscribers = [:]
        self.joins = PendingJoins()
        guard let identity else { return }
        guard let token = self.token else {
            for room in rooms {
                self.shard.submit(.leave(identity.clientID, self.ref), to: room, in: identity.channel)
            }
            self.lingeringEnded()
            return
        }
        let session = self.lingeringSession(identity, rooms)
        self.shard.linger(session, token: token, for: identity.channel.settings.grace)
    }

    private func lingeringSession(_ identity: Identity, _ rooms: [RoomName]) -> ResumedSession {
        for room in rooms {
            self.shard.submit(.linger(identity.clientID, self.ref), to: room, in: identity.channel)
        }
        let all = self.lingeringRooms.union(rooms)
        self.lingeringRooms = []
        return ResumedSession(
            channel: identity.channel.id,
            clientID: identity.clientID,
            clientData: identity.clientData,
            user: identity.user,
            address: self.address,
            publishes: self.memberBucket,
            rooms: all.sorted { $0.text < $1.text }
        )
    }

    /// Nobody can resume the session any more.
    func forgetToken() {
        guard let token else { return }
        self.shard.sessions.forget(token)
        self.token = nil
    }

    /// Ends the session for good: a goodbye, no grace, and nothing to resume.
    func expel(_ code: Code, reason: String) {
        self.forgetToken()
        self.goodbye(code, reason: reason)
        // where it was closing already, it has had its last word
        self.endSession()
    }

    /// Another connection has resumed the session: it gets the rooms, this one a goodbye.
    func replaced() -> ResumedSession? {
        guard let identity = self.session.identity, self.session.state == .open else { return nil }
        self.token = nil
        self.leaveCount()
        self.shard.tell(.disconnected(identity.channel.id, identity.clientID, code: .replaced))
        let session = self.lingeringSession(identity, Array(self.session.rooms.keys))
        _ = self.session.closed()
        self.joins = PendingJoins()
        for subscriber in self.subscribers.values { subscriber.replica.remove(subscriber) }
        self.subscribers = [:]
        self.goodbye(.replaced, reason: "this session was resumed on another connection")
        return session
    }

    /// The rooms of a resumed session were not subscribed again in time.
    func lingeringTimedOut() {
        // on its way out it leaves them behind for the next resume
        guard self.ending == .none else { return }
        self.lingeringEnded()
    }

    /// The rooms of a resumed session that were not subscribed again are left.
    private func lingeringEnded() {
        guard let identity = self.session.identity else { return }
        for room in self.lingeringRooms.sorted(by: { $0.text < $1.text }) {
            self.shard.submit(.graceEnded(identity.clientID), to: room, in: identity.channel)
        }
        self.lingeringRooms = []
    }

    /// The session has to be open by then.
    package func setHandshakeDeadline(in time: TimeAmount) {
        self.shard.setDeadline(.handshake(connection: self.ref.number), in: time)
    }

    var awaitsHandshake: Bool {
        switch self.session.state {
        case .awaitingHandshake, .resuming: true
        case .open, .closed: false
        }
    }

    func handshakeTimedOut() {
        guard self.awaitsHandshake else { return }
        self.goodbye(.handshakeTimeout, reason: "the handshake did not come in time; send it right after connecting")
    }
}
