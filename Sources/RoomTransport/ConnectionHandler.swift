package import NIOCore
import NIOTLS
package import RoomCore
package import RoomDelivery
package import RoomModel
import RoomWire

/// The channel's side of one TCP connection. Its duties:
///
/// 1. ask the gate whether the connection may come in, and count it out when it is gone;
/// 2. make the `Connection` that speaks to the shard;
/// 3. find out by the first bytes which protocol the client speaks (`ProtocolDetector`);
/// 4. cut what it sends into lines, and give them to the connection in order (`LineReader`);
/// 5. read only as fast as the lines are handled, in the connection's turns, and their replies are read (`InputFlow`);
/// 6. tell the connection when the input has ended, and when the channel is gone.
package final class ConnectionHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let shard: RoomShard
    private let settings: ConnectionSettings
    private let gate: ConnectionGate
    private let proxied: IPAddress?
    private let makesDirectWriter: (ChannelHandlerContext) -> (any DirectWriter)?
    private var connection: Connection?
    private var context: ChannelHandlerContext?
    private var input = Input.none
    private var flow = InputFlow()
    private var countedAddress: IPAddress?
    /// `nil` before the gate was asked, and after the connection was counted out.
    private var admission: ConnectionGate.Admission?
    private var isCountedSilent = false
    /// The client has not shown yet that it speaks TLS.
    private var awaitsTLS = false
    /// It has said nothing, and is to hear what is said in the text room when its turn comes.
    private var awaitsListening = false
    /// It hears what is said in the text room, and may turn out to be no plain-text client.
    private var isListening = false
    private var pause: Scheduled<Void>?

    private enum Input {
        /// Can transition to: `json`, `text`, `none`.
        case undetected(FirstBytes)
        /// Can transition to: `none`.
        case json(LineReader<JSONLineDecoder>)
        /// Can transition to: `none`.
        case text(TextInput)
        /// Further input is read off, or none can have come.
        case none
    }

    /// - Parameter proxied: the client that a proxy speaks for; `nil`: the peer speaks for itself.
    package init(
        shard: RoomShard,
        settings: ConnectionSettings,
        gate: ConnectionGate,
        proxied: IPAddress? = nil,
        makesDirectWriter: @escaping (ChannelHandlerContext) -> (any DirectWriter)?
    ) {
        self.shard = shard
        self.settings = settings
        self.gate = gate
        self.proxied = proxied
        self.makesDirectWriter = makesDirectWriter
    }

    // MARK: Life

    package func channelActive(context: ChannelHandlerContext) {
        self.input = .undetected(FirstBytes(acceptedAt: context.eventLoop.now))
        let address = self.proxied ?? context.remoteAddress?.address
        self.countedAddress = address.flatMap { $0.isLoopback ? nil : $0 }
        let admission = self.gate.enter(self.countedAddress, now: context.eventLoop.now.uptimeNanoseconds)
        self.admission = admission
        switch admission {
        case .admitted:
            self.serve(context, from: address, direct: self.makesDirectWriter(context))
            if self.settings.awaitsTLS {
                self.awaitsTLS = true
                self.connection?.setHandshakeDeadline(in: self.settings.handshakeTime)
            } else {
                self.awaitFirstBytes()
            }
        case .refused(let error):
            self.serve(context, from: address, direct: self.makesDirectWriter(context))
            let wait = error.retryAfterMilliseconds
            self.connection?.goodbye(error.code, reason: error.text, retryAfterMilliseconds: wait)
        case .turnedAway:
            self.input = .none
            self.shard.turnedAway()
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
    }

    private func serve(_ context: ChannelHandlerContext, from address: IPAddress?, direct: (any DirectWriter)?) {
        self.context = context
        let connection = self.shard.makeConnection(
            channel: context.channel,
            direct: direct,
            address: address
        )
        self.connection = connection
        connection.onEvent = { [weak self] event in
            switch event {
            case .ready: self?.process()
            case .ended: self?.discard()
            case .silent: self?.fellSilent()
            }
        }
    }

    private func awaitFirstBytes() {
        self.isCountedSilent = self.gate.mayBeSilent()
        guard self.isCountedSilent else {
            self.connection?.setHandshakeDeadline(in: self.settings.handshakeTime)
            return
        }
        if let time = self.settings.textRoom?.listeningAfter, time < self.settings.silentTime {
            self.connection?.setSilenceDeadline(in: time)
        } else {
            self.connection?.setHandshakeDeadline(in: self.settings.silentTime)
        }
    }

    /// Thousands may fall silent at once: each listens in its turn.
    private func fellSilent() {
        guard case .undetected = self.input else { return }
        self.awaitsListening = true
        self.process()
    }

    /// A client that waits wants to listen; where it may not, it can still say what it wants.
    private func listen(_ connection: Connection) {
        guard self.awaitsListening, case .undetected(let first) = self.input, let text = self.settings.textRoom
        else { return }
        self.awaitsListening = false
        if first.bytes.readableBytes == 0,
            connection.listen(room: text.room, channel: text.channel, since: first.acceptedAt)
        {
            self.isListening = true
            self.hasSpoken()
        } else {
            let passed = text.listeningAfter ?? .zero
            connection.setHandshakeDeadline(in: self.settings.silentTime - passed)
        }
    }

    /// A listener that speaks frames is another client than the one that listened.
    private func restart() {
        guard self.isListening, let context, let listener = self.connection else { return }
        self.isListening = false
        let mayWritePast = listener.endListening()
        self.serve(context, from: listener.address, direct: mayWritePast ? self.makesDirectWriter(context) : nil)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.pause?.cancel()
        self.hasSpoken()
        if let admission = self.admission.take() { self.gate.leave(self.countedAddress, admission) }
        self.connection?.closed()
        self.connection = nil
        self.context = nil
        self.input = .none
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.connection?.failed(error)
        context.close(promise: nil)
    }

    private func hasSpoken() {
        guard self.isCountedSilent else { return }
        self.isCountedSilent = false
        self.gate.hasSpoken()
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        switch self.input {
        case .undetected(var first):
            let detected = first.append(bytes, at: context.eventLoop.now)
            self.take(detected, first, mayWait: true)
        case .json(let lines):
            lines.framer.append(bytes)
            self.run(self.flow.received(bytes.readableBytes, behindWait: lines.isWaiting))
        case .text(let text):
            text.append(bytes, at: context.eventLoop.now)
            self.schedulePause(until: text.deadline)
            self.run(self.flow.received(bytes.readableBytes, behindWait: text.lines.isWaiting))
        case .none:
            return
        }
        self.process()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.flow.inputEnded()
            if case .undetected(let first) = self.input { self.lookAgain(at: first) }
            self.process()
        }
        if self.awaitsTLS, case .handshakeCompleted? = event as? TLSUserEvent {
            self.awaitsTLS = false
            if case .undetected = self.input { self.awaitFirstBytes() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func run(_ action: InputFlow.Action) {
        if action.awaitsReplies { self.connection?.holdsReading() }
        if let isReading = action.setsReading {
            // It fails on a channel that is closing, where it does not matter any more.
            try? self.context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
        }
        if action.endsInput { self.endInput() }
    }

    // MARK: The protocol

    /// Nothing more has come for a while, or will come.
    private func lookAgain(at first: FirstBytes) {
        self.take(ProtocolDetector(first.bytes, paused: true), first, mayWait: false)
    }

    private func take(_ detected: ProtocolDetector, _ first: FirstBytes, mayWait: Bool) {
        self.pause?.cancel()
        if case .undecided(let skip) = detected {
            var first = first
            first.drop(skip)
            self.input = .undetected(first)
            if first.bytes.readableBytes > 0, mayWait { self.schedulePause(until: self.laterLook) }
            return
        }
        self.hasSpoken()
        self.begin(detected, first)
    }

    private func begin(_ detected: ProtocolDetector, _ first: FirstBytes) {
        switch detected {
        case .json(let skip):
            self.restart()
            let lines = self.reader(JSONLineDecoder(limits: self.settings.frames))
            lines.framer.append(first.bytes.skipping(skip))
            self.input = .json(lines)
            self.connection?.setHandshakeDeadline(in: self.settings.handshakeTime)
        case .text(let skip):
            self.beginText(first, skip: skip)
        case .http:
            self.refuse(ForeignProtocol.httpAnswer, reason: "this is an HTTP request")
        case .tls:
            self.refuse(ForeignProtocol.tlsAlert, reason: "this is a TLS hello")
        case .undecided:
            return
        }
    }

    private func beginText(_ first: FirstBytes, skip: Int) {
        guard let text = self.settings.textRoom else {
            self.connection?.wireFormat = .textLines
            self.connection?.goodbye(
                .wrongProtocol,
                reason: "plain text is turned off; send JSON lines, beginning with a handshake"
            )
            return
        }
        let lines = self.reader(TextLineDecoder(room: text.room))
        let input = TextInput(lines, first: first, skip: skip)
        self.input = .text(input)
        self.schedulePause(until: input.deadline)
        guard !self.isListening else { return }
        self.connection?.beginText(room: text.room, channel: text.channel, since: first.acceptedAt)
    }

    private func reader<Decoder: LineDecoding>(_ decoder: Decoder) -> LineReader<Decoder> {
        let badLines = BadLines(perSecond: self.settings.badFrameRate, eventLoop: self.shard.eventLoop)
        return LineReader(decoder, limits: self.settings.frames, badLines: badLines)
    }

    private func refuse(_ answer: ByteBuffer, reason: String) {
        self.input = .none
        self.connection?.end(with: answer, code: .wrongProtocol, reason: reason)
    }

    private func discard() {
        self.input = .none
        self.pause?.cancel()
        self.run(self.flow.discard())
    }

    // MARK: Lines

    /// Handles what was read, until a line has to wait or the others have to have their turn.
    private func process() {
        guard let connection else { return }
        let progress: InputFlow.Progress
        switch self.input {
        case .json(let lines):
            progress = self.shard.flows.inTurn(connection) { lines.process(connection) }
        case .text(let text):
            progress = self.shard.flows.inTurn(connection) { text.lines.process(connection) }
        case .undetected:
            connection.holds(input: self.unfinishedBytes)
            if self.awaitsListening {
                _ = self.shard.flows.inTurn(connection) {
                    self.listen(connection)
                    return .through
                }
            }
            guard self.flow.hasEnded else { return }
            progress = .through
        case .none:
            progress = .through
        }
        self.run(self.flow.processed(progress, isBackedUp: connection.isBackedUp))
        connection.holds(input: self.unfinishedBytes)
    }

    /// The bytes that are no whole line yet. That whole ones wait for their turn is not the client's fault.
    private var unfinishedBytes: Int {
        switch self.input {
        case .undetected(let first): first.bytes.readableBytes
        case .json(let lines): lines.framer.unfinishedBytes
        case .text(let text): text.lines.framer.unfinishedBytes
        case .none: 0
        }
    }

    private func endInput() {
        guard let connection else { return }
        let progress: InputFlow.Progress
        switch self.input {
        case .json(let lines): progress = lines.finish(connection)
        case .text(let text): progress = text.lines.finish(connection)
        case .undetected, .none: progress = .through
        }
        switch progress {
        case .through: connection.inputEnded()
        case .waiting: return
        case .outOfTurn: self.shard.flows.wait(connection)
        }
    }

    /// - Parameter deadline: `nil`: no pause ends what was read.
    private func schedulePause(until deadline: NIODeadline?) {
        self.pause?.cancel()
        guard let context, let deadline else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.pause = context.eventLoop.scheduleTask(deadline: deadline) { bound.value.paused() }
    }

    /// When to look again at what does not show yet what it is.
    private var laterLook: NIODeadline? { self.context.map { $0.eventLoop.now + ConnectionSettings.detectionPause } }

    private func paused() {
        switch self.input {
        case .undetected(let first): self.lookAgain(at: first)
        case .text(let text): if text.paused() { self.schedulePause(until: self.laterLook) }
        case .json, .none: return
        }
        self.process()
    }
}
