import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import RoomDelivery

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A listener whose connections are embedded channels.
struct AcceptLimitTests {
    private let loop = EmbeddedEventLoop()
    private let events = NIOLockedValueBox<[AcceptLimit.Event]>([])

    private func listener(_ limit: AcceptLimit, most: Int = .max) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: self.loop)
        try channel.pipeline.syncOperations.addHandler(AcceptPauser(limit, most: most))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func limit() -> AcceptLimit {
        AcceptLimit { [events] event in events.withLockedValue { $0.append(event) } }
    }

    private var told: [AcceptLimit.Event] { self.events.withLockedValue(\.self) }

    private func accepts(_ listener: EmbeddedChannel) -> Bool {
        let set = listener.options.first { $0.option is ChannelOptions.Types.AutoReadOption }
        return set?.value as? Bool ?? true
    }

    private static func shortage(_ code: CInt) -> IOError { IOError(errnoCode: code, reason: "accept") }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `accepting that fails is tried again after a while, and told once`(code: CInt) throws {
        let listener = try self.listener(self.limit())
        for failure in 1...10 {
            listener.pipeline.fireErrorCaught(Self.shortage(code))
            listener.pipeline.fireErrorCaught(Self.shortage(code))
            #expect(!self.accepts(listener))
            self.loop.advanceTime(by: AcceptPauser.pauseAfterFailure - .nanoseconds(1))
            #expect(!self.accepts(listener))
            self.loop.advanceTime(by: .nanoseconds(1))
            #expect(self.accepts(listener), "after failure \(failure)")
        }
        #expect(self.told.count == 1)
        self.loop.advanceTime(by: AcceptLimit.quietTime + AcceptLimit.quietTime)
        #expect(self.told.count == 2 && self.told.last == .resumed)
        listener.pipeline.fireErrorCaught(Self.shortage(code))
        #expect(self.told.count == 3)
    }

    @Test func `an error of another kind is for others`() throws {
        let listener = try self.listener(self.limit())
        listener.pipeline.fireErrorCaught(Self.shortage(ECONNABORTED))
        #expect(self.told == [])
        #expect(throws: IOError.self) { try listener.throwIfErrorCaught() }
    }

    @Test func `at the limit nothing is accepted until a connection goes, whichever listener it came by`() throws {
        let limit = self.limit()
        let listeners = [try self.listener(limit, most: 2), try self.listener(limit, most: 3)]
        let connections = (0..<3).map { _ in EmbeddedChannel(loop: self.loop) }
        listeners[1].pipeline.fireChannelRead(connections[0] as any Channel)
        #expect(self.accepts(listeners[0]))
        listeners[0].pipeline.fireChannelRead(connections[1] as any Channel)
        #expect(limit.open == 2 && self.told.count == 1)
        #expect(!self.accepts(listeners[0]))
        #expect(self.accepts(listeners[1]))
        self.loop.advanceTime(by: .seconds(60))
        #expect(!self.accepts(listeners[0]))
        connections[0].close(promise: nil)
        self.loop.advanceTime(by: AcceptPauser.pauseAtLimit)
        #expect(self.accepts(listeners[0]))
        #expect(limit.open == 1)
    }
}
