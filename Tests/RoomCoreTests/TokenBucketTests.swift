import RoomModel
import Testing

@testable import RoomCore

struct TokenBucketTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `a second's worth passes at once, then one each interval`() {
        var bucket = TokenBucket(perSecond: 4, now: 0)
        let burst = (0..<5).map { _ in bucket.take(now: 0) == nil }
        #expect(burst == [true, true, true, true, false])
        #expect(bucket.take(now: Self.second / 8) == 125)
        #expect(bucket.take(now: Self.second / 4) == nil)
        #expect(bucket.take(now: Self.second / 4) != nil)
    }

    @Test func `a long pause saves no more than a second's worth`() {
        var bucket = TokenBucket(perSecond: 2, now: 0)
        let passed = (0..<5).map { _ in bucket.take(now: 3_600 * Self.second) == nil }
        #expect(passed == [true, true, false, false, false])
    }

    @Test func `a burst may be larger or smaller than a second's worth`() {
        var large = TokenBucket(perSecond: 10, burst: 100, now: 0)
        #expect((0..<101).filter { _ in large.take(now: 0) == nil }.count == 100)
        #expect((0..<101).filter { _ in large.take(now: 5 * Self.second) == nil }.count == 50)
        #expect((0..<101).filter { _ in large.take(now: 3_600 * Self.second) == nil }.count == 100)
        var small = TokenBucket(perSecond: 10, burst: 1, now: 0)
        #expect(small.take(now: 0) == nil)
        #expect(small.take(now: 0) == 100)
        #expect(small.take(now: Self.second) == nil)
        #expect(small.take(now: Self.second) == 100)
        var largest = TokenBucket(perSecond: 1_000_000_000, burst: 1_000_000_000, now: 0)
        #expect(largest.take(now: .max) == nil)
    }

    @Test func `a clock that steps back lets nothing more through`() {
        var bucket = TokenBucket(perSecond: 1, now: 10 * Self.second)
        #expect(bucket.take(now: 10 * Self.second) == nil)
        #expect(bucket.take(now: 0) != nil)
        #expect(bucket.take(now: 10 * Self.second) != nil)
    }

    @Test func `ever new members do not take ever more memory, and the newest are still limited`() {
        let gate = NewRoomGate(perSecond: 1)
        for number in 0..<50_000 {
            #expect(gate.take(.member(ClientID("\(number)")), now: 0) == nil)
            if number.isMultiple(of: 100) { #expect(gate.count <= 2 * NewRoomGate.capacity) }
        }
        for number in 40_001..<50_000 { #expect(gate.take(.member(ClientID("\(number)")), now: 0) != nil) }
    }
}
