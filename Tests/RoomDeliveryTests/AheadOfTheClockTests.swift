import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A room in which something was said while the clock was wrong.
struct AheadOfTheClockTests {
    private static let days = 400 * 86_400_000 as Int64

    private static func milliseconds(_ frame: ReceivedFrame?) -> Int64? {
        frame?.text("id").flatMap { UniqueID($0.utf8) }?.milliseconds
    }

    @Test func `one such room goes on above its messages, and the others by the clock`() {
        let clock = ManualClock()
        let engine = MemoryEngine(clock: clock)
        let wrong = TestBroker(clock: clock, engine: engine)
        clock.advance(milliseconds: Self.days)
        let ahead = wrong.connect().joined("ahead").publish("ahead", "1")
        clock.advance(milliseconds: -Self.days)
        // started again, with a file `clock` that is not followed
        let broker = TestBroker(clock: clock, engine: engine)
        let ann = broker.connect().joined("other")
        #expect(Self.milliseconds(ann.publish("other", "1")).map { $0 < clock.now + 1_000 } == true)
        ann.subscribe("ahead")
        let (first, second) = (ann.publish("ahead", "2"), ann.publish("ahead", "3"))
        let ids = [ahead, first, second].compactMap { $0?.text("id") }
        #expect(ids.count == 3 && ids == ids.sorted())
        #expect(Self.milliseconds(second).map { $0 >= clock.now + Self.days } == true)
        #expect(Self.milliseconds(ann.publish("other", "2")).map { $0 < clock.now + 1_000 } == true)
    }
}
