import DequeModule
import NIOCore
import NIOHTTP1

/// Lets whole requests pass, one after the other, and answers what is none: malformed, ambiguous, too large, too slow.
///
/// A request is held back until its body is there, and until the answer to the one before it has gone out. So nobody
/// behind it waits for a slow client, or takes a body that was cut off for a whole one. A connection that has nothing to
/// answer is closed when it was idle for too long, when its peer has said its last, and when the broker drains. Bound to
/// the event loop of its connection.
final class HTTPRequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Reading {
        /// Can transition to: `head` on the first byte, `over`.
        case nothing
        /// Can transition to: `body`, `over`.
        case head
        /// Can transition to: `nothing` when the request is complete, `over`.
        case body(HTTPRequestHead)
        /// Further input is thrown away.
        case over
    }

    private let limits: HTTPLimits
    private let drain: DrainSignal
    private let slot: HTTPLoad.Slot
    private let date: @Sendable () -> String
    /// The answer to it has gone out, and nothing else is being answered.
    var onAnswer: () -> Void = {}
    /// The connection is ended for what came, which was no request.
    var onRefusal: (Problem) -> Void = { _ in }
    private var reading = Reading.nothing
    /// Not in `reading`: a second owner would have it copied for each part.
    private(set) var body = HTTPBody()
    /// The parts of bodies that nobody has been charged for.
    private var unpaidParts = 0
    /// A request is passed on, and the answer to it has not gone out.
    private(set) var isAnswering = false
    /// Whole requests that wait until they may be passed on: one, and a few that the parser has found behind it.
    private var waiting: Deque<(head: HTTPRequestHead, body: ByteBuffer?)> = []
    /// No request follows those that are here.
    private var isLast = false
    /// The connection is closed after the answer.
    private var closes = false
    /// Answered when the requests before it are.
    private var refusal: Problem?
    /// The refusal is written: nothing may follow it.
    private var isRefused = false
    /// One timer that is put off only when it fires: there are many requests and few time-outs.
    private var deadline: NIODeadline?
    private var timer: (task: Scheduled<Void>, fires: NIODeadline)?
    /// `nil` outside of a pipeline.
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - slot: the connection's, for the request that is being answered.
    ///   - date: for the header of that name.
    init(limits: HTTPLimits, drain: DrainSignal, slot: HTTPLoad.Slot, date: @escaping @Sendable () -> String) {
        self.limits = limits
        self.drain = drain
        self.slot = slot
        self.date = date
    }

    /// Bytes have come that may become a request.
    func bytesReceived() {
        guard case .nothing = self.reading, let context = self.context else { return }
        self.reading = .head
        self.setDeadline(self.limits.headerTime, context)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelActive(context: ChannelHandlerContext) {
        self.setDeadline(self.limits.idleTime, context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.timer?.task.cancel()
        self.timer = nil
        self.waiting = []
        self.slot.close()
    }

    // MARK: Requests

    /// The parser should get nothing more now.
    var isBusy: Bool { self.isAnswering || self.hasWaiting }
    /// A request is whole and not passed on.
    var hasWaiting: Bool { !self.waiting.isEmpty }

    /// No request follows, and the parser may be broken: what still comes is thrown away.
    var ignoresInput: Bool { if case .over = self.reading { true } else { false } }

    /// Passes on the next whole request.
    func passWaiting() {
        guard !self.isAnswering, let context = self.context, let next = self.waiting.popFirst() else { return }
        self.isAnswering = true
        if self.isLast, self.waiting.isEmpty { self.closes = true }
        context.fireChannelRead(self.wrapInboundOut(.head(next.head)))
        if let body = next.body { context.fireChannelRead(self.wrapInboundOut(.body(body))) }
        context.fireChannelRead(self.wrapInboundOut(.end(nil)))
    }

    /// How many of these bytes the parser should get so that it finds one request. They may hold a few more: where a
    /// body ends that comes in chunks is known to the parser alone.
    func lengthToParse(_ bytes: ByteBuffer) -> Int {
        switch self.reading {
        case .nothing, .head: bytes.lengthOfHead
        case .body(let head):
            min(bytes.readableBytes, head.bodyLength.map { max(1, $0 - self.body.count) } ?? Self.chunksAtOnce)
        case .over: bytes.readableBytes
        }
    }

    private static let chunksAtOnce = 1_024

    /// Whether these bytes are the last ones of a peer that has not sent the rest of its request: nobody waits for an answer.
    func isCutOff(before end: ByteBuffer) -> Bool {
        guard case .body(let head) = self.reading else { return false }
        return head.bodyLength.map { $0 - self.body.count > end.readableBytes } ?? !end.mayEndChunks
    }

    /// The units of `Work` that the parts of bodies have cost since the last time.
    func takeWork() -> Int {
        defer { self.unpaidParts = 0 }
        return self.unpaidParts
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (self.unwrapInboundIn(data), self.reading) {
        case (_, .over): break
        case (.head(let head), _): self.headReceived(head, context)
        case (.body(let part), .body(let head)): self.bodyReceived(part, of: head, context)
        case (.end, .body(let head)): self.requestReceived(head)
        case (.body, .nothing), (.body, .head), (.end, .nothing), (.end, .head): break  // the parser sends a head first
        }
    }

    private func headReceived(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        if let fault = HTTPRequestCheck.fault(in: head, limits: self.limits) { return self.refuse(fault, context) }
        self.reading = .body(head)
        self.setDeadline(self.limits.bodyTime, context)
        if head.headers.contains(name: "expect"), head.version == .http1_1, !self.isBusy {
            let proceed = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(self.wrapOutboundOut(.head(proceed)), promise: nil)
        }
    }

    private func bodyReceived(_ part: ByteBuffer, of head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        self.unpaidParts += 1
        self.body.append(part)
        if let problem = self.bodyFault(head) ?? self.slot.holds(body: self.body.count) {
            self.refuse(problem, context)
        }
    }

    private func bodyFault(_ head: HTTPRequestHead) -> Problem? {
        if self.body.count > self.limits.body { return HTTPRequestCheck.bodyTooLarge(self.limits) }
        guard head.bodyLength == nil, self.body.isInTinyParts else { return nil }
        return HTTPRequestCheck.malformed(
            "the chunks of the body are too small: beyond \(HTTPBody.parts) of them, send \(HTTPBody.part) bytes in each"
        )
    }

    private func requestReceived(_ head: HTTPRequestHead) {
        self.deadline = nil
        // The parser takes what comes behind an offer to upgrade for another protocol. In HTTP/1.0, the end of an answer
        // that is streamed is the end of the connection.
        if head.isKeepAlive, head.version != .http1_0, !head.headers.contains(name: "upgrade"), !self.isLast {
            self.reading = .nothing
        } else {
            self.reading = .over
            self.isLast = true
        }
        self.waiting.append((head, self.body.take()))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        self.refuse(Problem(parserError: error, limits: self.limits), context)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if self.isRefused {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            if self.drain.isOn, self.waiting.isEmpty { self.closes = true }
            if self.closes {
                // `Upgrade` is a field of this connection alone, and has to be named as such
                let options = head.headers.contains(name: "upgrade") ? "close, Upgrade" : "close"
                head.headers.replaceOrAdd(name: "connection", value: options)
            }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { result in
                if case .failure = result { self.waiting = [] }
                self.answered(context)
            }
            context.write(data, promise: written)
            // closed when it is written: to close at once would take back what the peer has not read yet
            if self.closes || self.refusal != nil { context.flush() }
        }
    }

    /// An answer has gone out to the last byte, or never will.
    private func answered(_ context: ChannelHandlerContext) {
        self.isAnswering = false
        self.slot.leave()
        if self.closes { return context.close(promise: nil) }
        if !self.hasWaiting {
            if let refusal = self.refusal.take() {
                self.write(refusal, context)
            } else if case .nothing = self.reading {
                self.setDeadline(self.limits.idleTime, context)
            }
        }
        self.onAnswer()
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        // nearly always the system has taken it all
        guard self.isAnswering, let options = context.channel.syncOptions else { return }
        // Throws for a channel that is none of NIO's: then only the requests are counted.
        if let bytes = try? options.getOption(.bufferedWritableBytes) { self.slot.isUnread(bytes) }
    }

    // MARK: Refusals

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        if case .over = self.reading { return }
        self.reading = .over
        self.body = HTTPBody()
        self.deadline = nil
        if !self.isBusy { self.slot.leave() }
        if self.isBusy {
            self.refusal = problem
        } else {
            self.write(problem, context)
        }
    }

    /// Answers and listens on for a moment: to close with unread bytes would take the answer back (RFC 9112 §9.6).
    private func write(_ problem: Problem, _ context: ChannelHandlerContext) {
        self.isRefused = true
        self.onRefusal(problem)
        let body = problem.messageBody
        var headers = problem.headers
        headers.add(name: "connection", value: "close")
        headers.add(name: "content-type", value: "application/json")
        headers.add(name: "content-length", value: "\(body.readableBytes)")
        headers.add(name: "cache-control", value: "no-store")
        headers.add(name: "x-content-type-options", value: "nosniff")
        headers.add(name: "date", value: self.date())
        let head = HTTPResponseHead(version: .http1_1, status: problem.status, headers: headers)
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        self.setDeadline(self.limits.lingerTime, context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if self.isRefused { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            self.endAfterAnswers(context)
        } else if event is ChannelShouldQuiesceEvent {
            // a request whose body is still coming is answered, too
            if case .body = self.reading { self.isLast = true } else { self.endAfterAnswers(context) }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Nothing follows the requests that are whole. The answers to them go out, and a refusal behind them.
    private func endAfterAnswers(_ context: ChannelHandlerContext) {
        guard self.isBusy else { return context.close(promise: nil) }
        guard self.refusal == nil else { return }
        self.reading = .over
        self.isLast = true
        if !self.hasWaiting { self.closes = true }
    }

    // MARK: Time

    private func setDeadline(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        let deadline = context.eventLoop.now + time
        self.deadline = deadline
        if let timer, timer.fires <= deadline { return }
        self.timer?.task.cancel()
        self.schedule(deadline, context)
    }

    private func schedule(_ deadline: NIODeadline, _ context: ChannelHandlerContext) {
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired(context) }
        self.timer = (task, deadline)
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        self.timer = nil
        guard let deadline = self.deadline else { return }
        if context.eventLoop.now < deadline { return self.schedule(deadline, context) }
        self.deadline = nil
        switch self.reading {
        case .nothing, .over: context.close(promise: nil)
        case .head, .body: self.refuse(Self.tooSlow, context)
        }
    }

    private static let tooSlow = Problem(.requestTimeout, .requestTimeout, "the request was not complete in time")
}

extension HTTPRequestHead {
    /// `nil`: the body comes in chunks.
    fileprivate var bodyLength: Int? { self.headers["content-length"].first.flatMap { Int($0) } }
}

extension ByteBuffer {
    /// Whether the blank line that ends a body in chunks may be in here, or end here.
    fileprivate var mayEndChunks: Bool {
        let lineFeed = UInt8(ascii: "\n")
        let bytes = self.readableBytesView
        if bytes.first == lineFeed || bytes.starts(with: "\r\n".utf8) { return true }
        return self.lengthOfHead < bytes.count || bytes.suffix(3).elementsEqual("\n\r\n".utf8)
    }

    /// Up to the end of the first blank line, or all bytes.
    fileprivate var lengthOfHead: Int {
        self.withUnsafeReadableBytes { bytes in
            var index = 0
            while let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) {
                index = end + 1
                if index < bytes.count, bytes[index] == UInt8(ascii: "\n") { return index + 1 }
                if index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\r"),
                    bytes[index + 1] == UInt8(ascii: "\n")
                {
                    return index + 2
                }
            }
            return bytes.count
        }
    }
}
