import NIOCore
import Testing

@testable import RoomMetrics

struct RecentMaximumTests {
    @Test func `a value counts for ten seconds`() {
        var recent = RecentMaximum()
        let values: [(second: Int64, value: Int64, largest: Int64)] = [
            (0, 3, 3), (1, 9, 9), (1, 2, 9), (5, 4, 9), (10, 1, 9), (11, 1, 4), (15, 2, 2), (100, 1, 1),
        ]
        for (second, value, largest) in values {
            let now = NIODeadline.uptimeNanoseconds(77_000_000_000) + .seconds(second)
            #expect(recent.add(value, now: now) == largest, "after \(second) s")
        }
    }
}
