import NIOCore
import Testing

@testable import RoomClient

struct KeepAliveTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private static let interval = TimeAmount.seconds(5)

    private var keepAlive = KeepAlive(interval: Self.interval, now: Self.start)

    @Test mutating func `nothing is asked before an interval of silence`() {
        #expect(self.keepAlive.look(now: Self.start) == .wait(until: Self.start + .seconds(5)))
        #expect(
            self.keepAlive.look(now: Self.start + .nanoseconds(4_999_999_999)) == .wait(until: Self.start + .seconds(5))
        )
    }

    @Test mutating func `silence is asked once, and then given up`() {
        #expect(self.keepAlive.look(now: Self.start + .seconds(5)) == .ping(until: Self.start + .seconds(10)))
        #expect(self.keepAlive.look(now: Self.start + .seconds(9)) == .wait(until: Self.start + .seconds(10)))
        #expect(self.keepAlive.look(now: Self.start + .seconds(10)) == .giveUp(after: .seconds(10)))
    }

    @Test mutating func `whatever is heard starts the interval anew`() {
        self.keepAlive.heard(now: Self.start + .seconds(3))
        #expect(self.keepAlive.look(now: Self.start + .seconds(5)) == .wait(until: Self.start + .seconds(8)))
        #expect(self.keepAlive.look(now: Self.start + .seconds(8)) == .ping(until: Self.start + .seconds(13)))
    }

    @Test mutating func `an answer to the ping is a sign of life`() {
        _ = self.keepAlive.look(now: Self.start + .seconds(5))
        self.keepAlive.heard(now: Self.start + .seconds(6))
        #expect(self.keepAlive.look(now: Self.start + .seconds(10)) == .wait(until: Self.start + .seconds(11)))
        #expect(self.keepAlive.look(now: Self.start + .seconds(11)) == .ping(until: Self.start + .seconds(16)))
    }

    @Test mutating func `a probe asks at once, and waits no longer than a ping`() {
        self.keepAlive.heard(now: Self.start + .seconds(1))
        #expect(
            self.keepAlive.probe(within: .seconds(3), now: Self.start + .seconds(1))
                == .ping(until: Self.start + .seconds(4))
        )
        #expect(self.keepAlive.look(now: Self.start + .seconds(3)) == .wait(until: Self.start + .seconds(4)))
        #expect(self.keepAlive.look(now: Self.start + .seconds(4)) == .giveUp(after: .seconds(3)))
        self.keepAlive.heard(now: Self.start + .seconds(4))
        #expect(self.keepAlive.look(now: Self.start + .seconds(4)) == .wait(until: Self.start + .seconds(9)))
        #expect(
            self.keepAlive.probe(within: .hours(1), now: Self.start + .seconds(5))
                == .ping(until: Self.start + .seconds(10))
        )
    }

    @Test mutating func `a probe does not extend the time for an answer`() {
        #expect(self.keepAlive.look(now: Self.start + .seconds(5)) == .ping(until: Self.start + .seconds(10)))
        let late = Self.start + .seconds(9)
        #expect(self.keepAlive.probe(within: .seconds(3), now: late) == .ping(until: Self.start + .seconds(10)))
    }

    @Test mutating func `looking late asks before it gives up`() {
        #expect(self.keepAlive.look(now: Self.start + .hours(1)) == .ping(until: Self.start + .hours(1) + .seconds(5)))
    }
}
