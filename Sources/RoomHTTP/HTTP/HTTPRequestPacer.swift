import NIOCore
import RoomDelivery
import RoomModel

/// Gives the parser one request at a time, at the connection's turn, and the next one when the answer to it has gone out.
///
/// Requests that the client sends meanwhile stay here as bytes, at most one read; nothing more is read. So a client
/// that does not read its answers, or that sends requests without pause, costs a buffer. Bound to the event loop of its
/// connection.
final class HTTPRequestPacer: ChannelDuplexHandler, RemovableChannelHandler, Flow {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: HTTPRequestGuard
    private let turns: HTTPTurns
    /// The work that the request has caused that is being answered.
    private let work: RequestWork
    private let address: IPAddress?
    /// The peer is a proxy: everybody may come from its address.
    private let isProxy: Bool
    /// More than one read only if the peer has closed its half: then the system gives all that it has.
    private let limit: Int
    /// `nil` outside of a pipeline.
    private var context: ChannelHandlerContext?
    /// The bytes that the parser has not been given yet.
    private var held: ByteBuffer?
    private var state = State.idle
    var share = WorkShare()
    private var readsNext = false
    private var inputHasEnded = false
    /// Further input belongs to another protocol.
    private var isUpgrading = false
    /// The number that the turns know the request by that is being answered.
    private var request: UInt64?

    private enum State {
        /// Nothing to parse, or a request is being answered. Can transition to: `waiting`.
        case idle
        /// For a turn. Can transition to: `parsing`, `idle` when the connection has gone.
        case waiting
        /// Can transition to: `idle`, `complete`, `waiting` when the credit is used.
        case parsing
        /// A request is whole and gets a place in its turn. Can transition to: `idle`.
        case complete
    }

    /// - Parameters:
    ///   - work: what its requests cause.
    ///   - address: that of the peer.
    ///   - isProxy: the peer is a proxy, so its connections have nothing to do with each other.
    init(
        _ requests: HTTPRequestGuard,
        turns: HTTPTurns,
        work: RequestWork,
        address: IPAddress?,
        isProxy: Bool = false,
        limits: HTTPLimits
    ) {
        self.requests = requests
        self.turns = turns
        self.work = work
        self.address = address
        self.isProxy = isProxy
        self.limit = limits.fields + limits.body + 256 * 1024
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.requests.onAnswer = { [weak self] in self?.answered() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
        context.fireChannelInactive()
    }

    private func end() {
        if self.context != nil { self.turns.left(self) }
        self.context = nil
        self.held = nil
        if let request = self.request.take() { self.turns.ended(request) }
    }

    // MARK: Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.inputHasEnded else { return }
        var bytes = self.unwrapInboundIn(data)
        guard let count = self.held?.readableBytes else {
            self.held = bytes
            if self.becomesReady() { self.turns.ask(self) }
            return
        }
        if count + bytes.readableBytes <= self.limit {
            self.held?.writeBuffer(&bytes)
        } else {
            self.inputHasEnded = true
        }
    }

    func read(context: ChannelHandlerContext) {
        if self.isBehind {
            self.readsNext = true
        } else {
            context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard self.isBehind else { return context.fireUserInboundEventTriggered(event) }
        if case .inputClosed? = event as? ChannelEvent {
            self.inputHasEnded = true
            // nothing more comes, so nobody works off what a peer has left that has gone in the middle of a body
            if let held, self.requests.isCutOff(before: held) { self.held = nil }
        } else if !(event is ChannelShouldQuiesceEvent) {
            // a request that waits is answered first, and the connection closed with the answer
            context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Another protocol

    /// Keeps all that comes from now on, for the handlers of another protocol.
    func beginUpgrade() { self.isUpgrading = true }

    /// Writes past the handlers of HTTP.
    ///
    /// - Returns: done when the system has taken the bytes.
    func write(_ bytes: ByteBuffer) -> EventLoopFuture<Void>? {
        self.context?.writeAndFlush(self.wrapOutboundOut(bytes))
    }

    /// The bytes that have come behind the request, and whether nothing follows them.
    func takeRest() -> (bytes: ByteBuffer?, isAll: Bool) { (self.held.take(), self.inputHasEnded) }

    // MARK: Turns

    var group: WorkGroup {
        WorkGroup(from: self.isProxy ? nil : self.address) ?? .flow(ObjectIdentifier(self))
    }
    var description: FlowDescription? { FlowDescription(address: self.address) }

    /// Something of what was read is not passed on.
    private var isBehind: Bool { self.held != nil || self.requests.hasWaiting || self.isUpgrading }

    /// Whether the connection has something to pass on, and does not wait for a turn yet: now it does.
    private func becomesReady() -> Bool {
        guard case .idle = self.state, self.isBehind, !self.requests.isAnswering else { return false }
        self.state = .waiting
        return true
    }

    func takeTurn() {
        self.turns.take(self)
    }

    /// Its credit is used, and bytes are left to parse: it waits for its next turn.
    var hasRest: Bool { if case .waiting = self.state { self.context != nil } else { false } }

    /// Gives the parser bytes until there is a whole request, no more of them, or no credit.
    func parse() {
        self.state = .idle
        guard let context = self.context else { return }
        self.state = .parsing
        self.share.spend(Self.workOfReading)
        while let count = self.held?.readableBytes, count > 0, !self.requests.isBusy, self.share.hasCredit {
            if self.requests.ignoresInput {
                self.held = nil
                break
            }
            let length = self.held.map { self.requests.lengthToParse($0) } ?? 0
            guard let part = self.held?.readSlice(length: length) else { break }
            if self.held?.readableBytes == 0 { self.held = nil }
            self.requests.bytesReceived()
            self.share.spend(Work.line(bytes: length))
            context.fireChannelRead(self.wrapInboundOut(part))
            self.share.spend(self.requests.takeWork())
        }
        if self.requests.hasWaiting {
            self.state = .complete
        } else if let held, held.readableBytes > 0, !self.requests.isAnswering {
            self.state = .waiting
        } else {
            self.state = .idle
            self.readOn(context)
        }
    }

    /// A whole request waits for a place.
    var hasRequest: Bool { if case .complete = self.state { self.context != nil } else { false } }

    /// The request has a place, until the turns are told that it has ended.
    func handOver(as number: UInt64) {
        self.state = .idle
        guard let context = self.context else { return self.turns.ended(number) }
        self.request = number
        self.share.spend(Self.workOfRequest)
        self.share.cause(Self.workOfAnswer)
        self.requests.passWaiting()
        self.readOn(context)
    }

    /// The parser has got what it is to get now. Reads more if all is passed on.
    private func readOn(_ context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        guard !self.isBehind, self.context != nil else { return }
        if self.inputHasEnded {
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else if self.readsNext {
            self.readsNext = false
            context.read()
        }
    }

    private func answered() {
        self.turns.charge(self, self.work.take())
        if let request = self.request.take() { self.turns.ended(request) }
        if self.becomesReady() { self.turns.askAgain(self) }
    }

    /// In the units of `Work`.
    private static let workOfReading = 5
    private static let workOfRequest = 20
    private static let workOfAnswer = 40
}
