import RoomModel
import Testing

@testable import RoomCore

struct AddressRateLimiterTests {
    private static let second: UInt64 = 1_000_000_000

    private static func address(_ number: Int) -> IPAddress { IPAddress(v4: 0xc000_0200 + UInt32(number)) }

    @Test func `a burst passes at once, then one each interval`() {
        var meter = AddressRateLimiter(interval: 6 * Self.second, burst: 3, capacity: 10)
        let passed = (0..<4).map { _ in meter.take(Self.address(1), now: Self.second) }
        #expect(passed == [nil, nil, nil, 6_000])
        #expect(meter.take(Self.address(1), now: 5 * Self.second) == 2_000)
        #expect(meter.take(Self.address(1), now: 7 * Self.second) == nil)
        #expect(meter.take(Self.address(1), now: 7 * Self.second) == 6_000)
        let later = (0..<4).map { _ in meter.take(Self.address(1), now: 3_600 * Self.second) == nil }
        #expect(later == [true, true, true, false])
    }

    @Test func `one address does not use up another's`() {
        var meter = AddressRateLimiter(interval: Self.second, burst: 1, capacity: 10)
        #expect(meter.take(Self.address(1), now: 0) == nil)
        #expect(meter.take(Self.address(1), now: 0) != nil)
        #expect(meter.take(Self.address(2), now: 0) == nil)
    }

    @Test func `all of an IPv6 64 share one bucket`() throws {
        var meter = AddressRateLimiter(interval: Self.second, burst: 1, capacity: 10)
        #expect(meter.take(try #require(IPAddress("2001:db8::1")), now: 0) == nil)
        #expect(meter.take(try #require(IPAddress("2001:db8::2")), now: 0) != nil)
        #expect(meter.take(try #require(IPAddress("2001:db8:0:1::1")), now: 0) == nil)
    }

    @Test func `what is counted beyond the allowance never adds up`() {
        var meter = AddressRateLimiter(interval: Self.second, burst: 2, capacity: 10)
        for _ in 0..<100 { meter.add(Self.address(1), now: 0) }
        #expect(meter.wait(Self.address(1), now: 0) == 1_000)
    }

    @Test func `where there are too many, the emptiest buckets are kept`() {
        var meter = AddressRateLimiter(interval: Self.second, burst: 10, capacity: 8)
        for _ in 0..<10 { meter.add(Self.address(0), now: 0) }
        for number in 1..<10_000 { meter.add(Self.address(number), now: 0) }
        #expect(meter.count <= 8)
        #expect(meter.wait(Self.address(0), now: 0) == 1_000)
    }

    @Test func `those that have refilled most are forgotten first, a quarter at a time`() {
        var meter = AddressRateLimiter(interval: Self.second, burst: 1, capacity: 1_000)
        for number in 0...1_000 { meter.add(Self.address(number), now: UInt64(number)) }
        #expect(meter.count == 751)
        for number in 0...1_000 {
            #expect((meter.wait(Self.address(number), now: 1_000) == nil) == (number < 250), "\(number)")
        }
    }

    @Test func `a clock that steps back lets nothing more through`() {
        var meter = AddressRateLimiter(interval: Self.second, burst: 1, capacity: 8)
        #expect(meter.take(Self.address(1), now: 10 * Self.second) == nil)
        #expect(meter.take(Self.address(1), now: 0) != nil)
        #expect(meter.take(Self.address(1), now: 11 * Self.second) == nil)
    }
}
