import NIOConcurrencyHelpers
package import NIOCore
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Counts the sockets that listeners have accepted, and tells once when accepting has to pause, and once when that is over.
/// One for all listeners.
package final class AcceptLimit: Sendable {
    package enum Event: Equatable, Sendable {
        case paused(reason: String)
        /// Connections are accepted again, and have been for a while.
        case resumed
    }

    private struct State {
        var isPaused = false
        var lastPause = NIODeadline.uptimeNanoseconds(0)
    }

    /// Without a pause for so long, it is over.
    static let quietTime = TimeAmount.seconds(5)

    private let sockets = Atomic<Int>(0)
    private let state = NIOLockedValueBox(State())
    private let tell: @Sendable (Event) -> Void

    package init(tell: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.tell = tell
    }

    /// Sockets that are accepted and not closed, also those that no event loop has looked at yet.
    var open: Int { self.sockets.load(ordering: .relaxed) }

    func opened() {
        self.sockets.wrappingAdd(1, ordering: .relaxed)
    }

    func closed() {
        self.sockets.wrappingSubtract(1, ordering: .relaxed)
    }

    func paused(_ reason: String, now: NIODeadline) {
        let isNew = self.state.withLockedValue { state in
            state.lastPause = now
            defer { state.isPaused = true }
            return !state.isPaused
        }
        if isNew { self.tell(.paused(reason: reason)) }
    }

    /// - Returns: when to ask again; `nil`: there is nothing to tell any more.
    func check(now: NIODeadline) -> NIODeadline? {
        let (isOver, next) = self.state.withLockedValue { state -> (Bool, NIODeadline?) in
            guard state.isPaused else { return (false, nil) }
            let quiet = state.lastPause + Self.quietTime
            guard now >= quiet else { return (false, quiet) }
            state.isPaused = false
            return (true, nil)
        }
        if isOver { self.tell(.resumed) }
        return next
    }
}

/// Stops accepting for a while where no file is left for a connection, instead of trying again without pause.
///
/// SwiftNIO reports such a failure and then waits for the same socket, which is ready: the loop would spin. Bound to the
/// event loop of the listening channel.
package final class AcceptPauser: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    /// As nginx waits (`accept_mutex_delay`).
    static let pauseAfterFailure = TimeAmount.milliseconds(500)
    static let pauseAtLimit = TimeAmount.milliseconds(50)

    private let limit: AcceptLimit
    private let most: Int
    private var isPaused = false
    private var isCheckScheduled = false

    /// - Parameter most: sockets of all listeners with which this one still accepts another.
    package init(_ limit: AcceptLimit, most: Int) {
        self.limit = limit
        self.most = most
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = self.unwrapInboundIn(data)
        self.limit.opened()
        channel.closeFuture.whenComplete { [limit] _ in limit.closed() }
        context.fireChannelRead(data)
        if self.limit.open >= self.most {
            self.pause("the limit of open files leaves no place for more connections", Self.pauseAtLimit, context)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.shortages.contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        self.pause("a connection cannot be accepted: \(error)", Self.pauseAfterFailure, context)
    }

    private static let shortages = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private func pause(_ reason: String, _ time: TimeAmount, _ context: ChannelHandlerContext) {
        guard !self.isPaused else { return }
        self.isPaused = true
        self.limit.paused(reason, now: context.eventLoop.now)
        self.setReading(false, context)
        self.resume(in: time, context)
    }

    private func resume(in time: TimeAmount, _ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            guard context.channel.isActive else { return }
            if self.limit.open >= self.most { return self.resume(in: Self.pauseAtLimit, context) }
            self.isPaused = false
            self.scheduleCheck(at: context.eventLoop.now + AcceptLimit.quietTime, context)
            self.setReading(true, context)
        }
    }

    private func setReading(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // Throws for a channel that is closed: then there is nothing to accept.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    private func scheduleCheck(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        guard !self.isCheckScheduled else { return }
        self.isCheckScheduled = true
        context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.isCheckScheduled = false
            guard !self.isPaused else { return }
            if let next = self.limit.check(now: context.eventLoop.now) { self.scheduleCheck(at: next, context) }
        }
    }
}
