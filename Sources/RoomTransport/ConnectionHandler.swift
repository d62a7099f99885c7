package import NIOCore
import RoomCore
package import RoomDelivery
package import RoomModel
import RoomWire

/// Reads one TCP connection: finds out what speaks there, cuts it into lines, and gives them to the connection in order.
///
/// It stops reading while a frame has to wait for the answer to an earlier one, and while the peer does not read its
/// replies; so what a client can make the broker hold is bounded.
package final class ConnectionHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// Bytes that may gather behind a frame that waits, before reading stops.
    private static let waitingBytes = 64 * 1_024

    private let shard: RoomShard
    private let settings: ConnectionSettings
    private let gate: ConnectionGate
    private let proxied: IPAddress?
    private let makesDirectWriter: (ChannelHandlerContext) -> (any DirectWriter)?
    private var connection: Connection?
    private var context: ChannelHandlerContext?
    private var mode = Mode.opening(ByteBuffer())
    private var countedAddress: IPAddress?
    /// `nil` before the gate was asked, and after the connection was counted out.
    private var admission: ConnectionGate.Admission?
    private var isCountedSilent = false
    private var isReading = true
    private var hasInputEnded = false
    /// Came in while a frame waits.
    private var bytesBehindWait = 0
    private var pause: Scheduled<Void>?

    private enum Mode {
        /// Can transition to: `json`, `text`, `discarding`.
        case opening(ByteBuffer)
        /// Can transition to: `discarding`.
        case json(JSONLines)
        /// Can transition to: `discarding`.
        case text(TextLines)
        /// The session has ended; what still comes is read off.
        case discarding
    }

    /// - Parameter proxied: whom a proxy speaks for; `nil`: the peer speaks for itself.
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
        let address = self.proxied ?? context.remoteAddress?.address
        self.countedAddress = address.flatMap { $0.isLoopback ? nil : $0 }
        let admission = self.gate.enter(self.countedAddress, now: context.eventLoop.now.uptimeNanoseconds)
        self.admission = admission
        switch admission {
        case .admitted:
            self.serve(context, from: address)
            self.awaitFirstBytes()
        case .refused(let error):
            self.serve(context, from: address)
            let wait = error.retryAfterMilliseconds
            self.connection?.goodbye(error.code, reason: error.text, retryAfterMilliseconds: wait)
        case .turnedAway:
            self.mode = .discarding
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
    }

    private func serve(_ context: ChannelHandlerContext, from address: IPAddress?) {
        self.context = context
        let connection = self.shard.makeConnection(
            channel: context.channel,
            direct: self.makesDirectWriter(context),
            address: address
        )
        self.connection = connection
        connection.onReady = { [weak self] in self?.process() }
        connection.onEnded = { [weak self] in self?.discard() }
    }

    private func awaitFirstBytes() {
        self.isCountedSilent = self.gate.mayBeSilent()
        let time = self.isCountedSilent ? self.settings.silentTime : self.settings.handshakeTime
        self.connection?.setHandshakeDeadline(in: time)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.pause?.cancel()
        self.hasSpoken()
        if let admission = self.admission.take() { self.gate.leave(self.countedAddress, admission) }
        self.connection?.closed()
        self.connection = nil
        self.context = nil
        self.mode = .discarding
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
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
        switch self.mode {
        case .opening(var opening):
            opening.writeImmutableBuffer(bytes)
            self.open(opening, paused: false)
        case .json(let lines):
            lines.framer.append(bytes)
            self.hold(bytes.readableBytes, behind: lines.waiting != nil)
        case .text(let lines):
            lines.framer.append(bytes)
            self.hold(bytes.readableBytes, behind: lines.waiting != nil)
        case .discarding:
            return
        }
        self.process()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.hasInputEnded = true
            if case .opening(let opening) = self.mode { self.open(opening, paused: true) }
            self.process()
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func hold(_ count: Int, behind isWaiting: Bool) {
        guard isWaiting else { return }
        self.bytesBehindWait += count
        if self.bytesBehindWait > Self.waitingBytes { self.setReading(false) }
    }

    private func setReading(_ isReading: Bool) {
        guard self.isReading != isReading, let context else { return }
        self.isReading = isReading
        // It fails on a channel that is closing, where it does not matter any more.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    // MARK: Opening

    private func open(_ opening: ByteBuffer, paused: Bool) {
        self.pause?.cancel()
        let detected = ProtocolDetector(opening, paused: paused)
        if case .undecided(let skip) = detected {
            // copied: blanks without end take no memory
            let rest = ByteBuffer(bytes: opening.skipping(skip).readableBytesView)
            self.mode = .opening(rest)
            if rest.readableBytes > 0, !paused { self.schedulePause() }
            return
        }
        self.hasSpoken()
        self.begin(detected, opening)
    }

    private func begin(_ detected: ProtocolDetector, _ opening: ByteBuffer) {
        switch detected {
        case .json(let skip):
            let lines = JSONLines(limits: self.settings.frames, badLines: self.badLines())
            lines.framer.append(opening.skipping(skip))
            self.mode = .json(lines)
            self.connection?.setHandshakeDeadline(in: self.settings.handshakeTime)
        case .text(let skip):
            self.openText(opening.skipping(skip))
        case .http:
            self.refuse(ForeignProtocol.httpAnswer)
        case .tls:
            self.refuse(ForeignProtocol.tlsAlert)
        case .undecided:
            return
        }
    }

    private func openText(_ rest: ByteBuffer) {
        guard let text = self.settings.textRoom else {
            self.connection?.wireFormat = .textLines
            self.connection?.goodbye(
                .wrongProtocol,
                reason: "plain text is turned off; send JSON lines, beginning with a handshake"
            )
            return
        }
        let lines = TextLines(room: text.room, limits: self.settings.frames, badLines: self.badLines())
        lines.framer.append(rest)
        self.mode = .text(lines)
        self.connection?.beginText(room: text.room, channel: text.channel)
    }

    private func badLines() -> BadLines {
        BadLines(perSecond: self.settings.badFrameRate, eventLoop: self.shard.eventLoop)
    }

    private func refuse(_ answer: ByteBuffer) {
        self.mode = .discarding
        self.connection?.end(with: answer)
    }

    private func discard() {
        self.mode = .discarding
        self.pause?.cancel()
        self.setReading(true)
    }

    // MARK: Lines

    /// Handles what was read, until a line has to wait.
    private func process() {
        guard let connection else { return }
        let isThrough: Bool
        switch self.mode {
        case .json(let lines):
            isThrough = lines.process(connection)
        case .text(let lines):
            isThrough = lines.process(connection)
            if isThrough, lines.waitsForPause { self.schedulePause() }
        case .opening:
            guard self.hasInputEnded else { return }
            isThrough = true
        case .discarding:
            isThrough = true
        }
        if isThrough { self.bytesBehindWait = 0 }
        if connection.isBackedUp {
            connection.holdsReading()
            self.setReading(false)
        } else if isThrough {
            self.setReading(true)
            if self.hasInputEnded { self.endInput(connection) }
        }
    }

    private func endInput(_ connection: Connection) {
        switch self.mode {
        case .json(let lines): guard lines.finish(connection) else { return }
        case .text(let lines): guard lines.finish(connection) else { return }
        case .opening, .discarding: break
        }
        connection.inputEnded()
    }

    private func schedulePause() {
        guard let context else { return }
        self.pause?.cancel()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.pause = context.eventLoop.scheduleTask(in: ConnectionSettings.linePause) { bound.value.paused() }
    }

    private func paused() {
        switch self.mode {
        case .opening(let opening): self.open(opening, paused: true)
        case .text(let lines): lines.paused()
        case .json, .discarding: return
        }
        self.process()
    }
}

extension ByteBuffer {
    fileprivate func skipping(_ count: Int) -> ByteBuffer {
        var rest = self
        rest.moveReaderIndex(forwardBy: count)
        return rest
    }
}
