import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import RoomClient

@Suite struct LoopTimerTests {
    private let loop = EmbeddedEventLoop()
    private let fired = NIOLockedValueBox<[Int64]>([])
    private var timer = LoopTimer()

    private mutating func arm(_ seconds: Int64?) {
        let (loop, fired) = (self.loop, self.fired)
        self.timer.arm(seconds.map { .uptimeNanoseconds(0) + .seconds($0) }) { time in
            loop.scheduleTask(deadline: time) { fired.withLockedValue { $0.append(seconds ?? 0) } }
        }
    }

    @Test mutating func `it fires once, at the earliest deadline`() {
        for seconds: Int64? in [5, 9, 2, 2, nil] { self.arm(seconds) }
        self.loop.advanceTime(by: .seconds(20))
        #expect(self.fired.withLockedValue { $0 } == [2])
    }

    @Test mutating func `after it has fired it can be armed again, for a later deadline too`() {
        self.arm(2)
        self.loop.advanceTime(by: .seconds(3))
        self.timer.fired()
        self.arm(9)
        self.loop.advanceTime(by: .seconds(7))
        #expect(self.fired.withLockedValue { $0 } == [2, 9])
    }

    @Test mutating func `a cancelled timer does not fire`() {
        self.arm(2)
        self.timer.cancel()
        self.loop.advanceTime(by: .seconds(3))
        #expect(self.fired.withLockedValue { $0 } == [])
    }
}
