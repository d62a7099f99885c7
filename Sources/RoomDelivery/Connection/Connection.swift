import NIOCore
package import RoomCore
import RoomJSON
package import RoomModel
import RoomWire

/// One client's connection: the way out to it, and what it is in the protocol. Confined to its shard's event loop.
///
/// The transport feeds it frames or text lines, and drives what it cannot do itself: reading on, and closing.
package final class Connection: Flow {
    package let ref: ConnectionRef
    let shard: RoomShard
    let writer: ConnectionWriter
    /// Set before anything is written.
    package var wireFormat = WireFormat.jsonLines {
        didSet {
            self.writer.wireFormat = self.wireFormat
            if self.wireFormat != oldValue { self.shard.tally.changed(oldValue, to: self.wireFormat) }
        }
    }
    /// The address of the peer, or of the client that a proxy speaks for; set by the transport before anything is read.
    package var address: IPAddress?
    /// The web page that has opened it; `nil` for other programs, and once it has its session.
    package var page: WebPage?
    /// The one room that an event stream is for; `nil`: its client says what it wants.
    var roomOfStream: RoomName?
    /// Unix milliseconds.
    let connectedAt: Int64
    var state: State
    var lifecycle = ConnectionLifecycle()
    var closing = WebSocketClosing.none
    /// `nil` while nothing has happened that ends it.
    var endReason: EndReason?
    var channelSlot = ChannelSlot()
    /// A plain-text client that has not been told yet how to ask for help.
    var awaitsGreeting = false
    /// A plain-text client hears what was said since, when its place in the room begins.
    var hearsSince: NIODeadline?
    /// Waits in the shard's queue for its replies to be flushed.
    var isQueued = false
    private var isReadingHeld = false
    /// Replies that the peer had not read at the last flush, and lists of members that waited behind them.
    private var unread = 0
    private var heldInput = 0
    package var share = WorkShare()
    /// Tells the transport what it has to do.
    package var onEvent: ((Event) -> Void)?

    enum State {
        /// Can transition to: `open`, `ended`.
        case handshaking(Handshake)
        /// Can transition to: `ended`.
        case open(Member)
        /// The session has ended; the connection may still have something to write.
        case ended
    }

    package enum Event {
        /// A frame that had to wait may be given again, or the connection's turn has come.
        case ready
        /// There is no session after the time that the transport has set.
        case silent
        /// The session has ended: what is read from now on is dropped. Told once.
        case ended
    }

    package enum Handling {
        case done
        /// An earlier frame has to be answered first: give this one again after `Event.ready`.
        case wait
        /// A part of it is handled: give it again at the connection's next turn.
        case unfinished
    }

    init(ref: ConnectionRef, shard: RoomShard, writer: ConnectionWriter) {
        self.ref = ref
        self.shard = shard
        self.writer = writer
        self.connectedAt = shard.environment.clock()
        self.state = .handshaking(Handshake(roomLimit: shard.limits.roomsPerConnection))
        writer.onDrained = { [weak self] in self?.flush() }
    }

    /// `nil` before the handshake, and when the session has ended.
    var member: Member? { if case .open(let member) = self.state { member } else { nil } }

    // MARK: Frames of the client

    package func handle(_ frame: ClientFrame) -> Handling {
        if self.shard.holds(self) { return .wait }
        switch self.state {
        case .open(let member):
            guard member.heard() else { return .done }
            member.beginAnsweredFirst()
            // their replies are behind lists of members that wait
            if self.wireFormat.listsMembersFirst, member.subscriptions.hasAnswered { return .unfinished }
            return member.handle(frame)
        case .handshaking(let handshake): return self.handle(frame, during: handshake)
        case .ended: return .done
        }
    }

    private func handle(_ frame: ClientFrame, during handshake: Handshake) -> Handling {
        switch frame.request {
        case .handshake(let request):
            return self.handshake(HandshakeFrame(request: request, callback: frame.callback), handshake)
        case .pong: return .done
        case .authenticate(let token):
            if let error = self.throttled(token) {
                self.refuse(error.answering(frame.callback))
                return .done
            }
        case .publish, .subscribe, .unsubscribe, .update, .members, .history, .rooms, .moderate, .ping: break
        }
        if handshake.isResuming { return .wait }
        switch frame.request {
        case .ping: self.answerPing(frame.callback)
        case .publish(let request):
            let error = Handshake.required
            self.refuse(error.answering(frame.callback, aboutPublishTo: request.room, request.messageID))
        default: self.refuse(Handshake.required.answering(frame.callback))
        }
        return .done
    }

    /// A line that is not a frame.
    package func handle(_ error: RequestError) -> Handling {
        if self.shard.holds(self) { return .wait }
        switch self.state {
        case .open(let member): if member.heard() { self.refuse(error) }
        case .handshaking(let handshake):
            if handshake.isResuming { return .wait }
            if error.isAboutHandshake { self.refuseHandshake(error) } else { self.refuse(error) }
        case .ended: break
        }
        return .done
    }

    func answerPing(_ callback: Int64?) {
        self.reply { frame in
            if callback == nil { frame.type(BrokerFrameType.pong) } else { frame.reply(to: callback) }
        }
    }

    // MARK: Replies

    /// Writes one frame of the broker's own into the reply lane.
    func reply(_ fields: (inout FrameWriter) -> Void) {
        self.reply(stamp: self.shard.brokerStamp(), fields)
    }

    func reply(to callback: Int64, _ answer: some DescribedObject) {
        self.reply { $0.reply(to: callback, answer) }
    }

    func reply(stamp: Stamp, _ fields: (inout FrameWriter) -> Void) {
        let before = self.writer.waitingReplies
        self.writer.reply { FrameWriter.write(into: &$0, stamp: stamp, fields) }
        self.share.spend(Work.reply(bytes: self.writer.waitingReplies - before))
        self.shard.enqueue(self)
    }

    /// Writes a frame that is the same for many.
    func reply(encoded frame: ByteBuffer) {
        self.writer.reply { $0.writeImmutableBuffer(frame) }
        self.share.spend(Work.reply(bytes: frame.readableBytes))
        self.shard.enqueue(self)
    }

    /// Tells the client something of the broker's own: in a frame, or in a line where its wire format has no such frames.
    func tell(_ line: @autoclosure () -> String, stamp: Stamp? = nil, frame: (inout FrameWriter) -> Void) {
        guard self.wireFormat.hasControlFrames else { return self.say(line()) }
        self.reply(stamp: stamp ?? self.shard.brokerStamp(), frame)
    }

    /// Counts a refusal, which costs its peer as much as something that is done.
    func countRefusal(_ error: RequestError) {
        self.share.spend(Work.refusal)
        self.shard.tally.refused(error.code)
    }

    func refuse(_ error: RequestError) {
        self.countRefusal(error)
        self.tell(error.text) { $0.error(error) }
    }

    /// A line of the broker's own for this client alone, which speaks plain text.
    package func say(_ text: String) {
        let before = self.writer.waitingReplies
        self.writer.reply { TextLineWriter.note(text, into: &$0) }
        self.share.spend(Work.reply(bytes: self.writer.waitingReplies - before))
        self.shard.enqueue(self)
    }

    /// The transport holds so many bytes of what the client has sent.
    package func holds(input bytes: Int) {
        let counted = bytes > MemoryBound.uncountedInput ? bytes : 0
        guard counted != self.heldInput else { return }
        self.heldInput = counted
        self.shard.inputHeld(self, counted)
    }

    // MARK: Turns

    package var group: WorkGroup {
        self.member?.group ?? WorkGroup(from: self.address) ?? .flow(ObjectIdentifier(self))
    }

    package var isInSession: Bool { self.member?.hasAsked ?? false }

    package func takeTurn() {
        self.onEvent?(.ready)
    }

    // MARK: Writing

    /// Whether so much waits to be read by the peer that nothing more is read from it.
    package var isBackedUp: Bool { self.writer.unread > self.shard.limits.unreadReplies }

    /// The transport reads no more from the peer until `Event.ready`, which comes when the replies are on their way.
    package func holdsReading() {
        self.isReadingHeld = true
    }

    /// Sends the replies and whatever else waits; called at the end of a turn, and when the peer has read again.
    func flush() {
        var budget = WorkBudget()
        self.flush(&budget)
    }

    /// - Parameter budget: what is beyond it is sent when the others have had their turn.
    func flush(_ budget: inout WorkBudget) {
        self.write(&budget)
        self.countUnread()
        if self.isReadingHeld, !self.isBackedUp {
            self.isReadingHeld = false
            self.onEvent?(.ready)
        }
    }

    private func countUnread() {
        let unread = self.writer.unread + (self.member?.subscriptions.listBytes ?? 0)
        guard unread != self.unread else { return }
        self.unread = unread
        self.shard.repliesLeft(self, unread)
    }

    private func write(_ budget: inout WorkBudget) {
        let writes = self.writer.writes
        // before the flush: the answers to the subscribes and what follows them are one write
        if let member = self.member, member.owesDelivery { member.beginAnswered(&budget) }
        let isWritten = self.writer.flush()
        budget.spend(1 + (self.writer.writes - writes) * Work.write(bytes: 0))
        guard isWritten else { return }
        if let member = self.member, member.hasDeliveries {
            guard member.deliverOwed(&budget) else { return }
        }
        self.finishIfDone()
    }
}
