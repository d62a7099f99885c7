import RoomModel
import Testing

@testable import RoomHTTP

struct PublishMeterTests {
    private static let ann = IPAddress("192.0.2.1")
    private static let bob = IPAddress("192.0.2.2")

    @Test func `an address has a second's worth at once, each room counted`() {
        let meter = PublishMeter(perSecond: 10)
        #expect(meter.refusal(of: Self.ann, rooms: 7, now: 0) == nil)
        for _ in 0..<3 { #expect(meter.refusal(of: Self.ann, rooms: 1, now: 0) == nil) }
        let refusal = meter.refusal(of: Self.ann, rooms: 1, now: 0)
        #expect(refusal?.code == .rateLimited)
        #expect(refusal?.retryAfterMilliseconds == 100)
        #expect(meter.refusal(of: Self.bob, rooms: 1, now: 0) == nil)
        #expect(meter.refusal(of: Self.ann, rooms: 1, now: 100_000_000) == nil)
        #expect(meter.refusal(of: Self.ann, rooms: 1, now: 100_000_000)?.code == .rateLimited)
    }

    @Test func `the admin socket is not counted, and without a limit nobody is`() {
        let (limited, unlimited) = (PublishMeter(perSecond: 1), PublishMeter(perSecond: .max))
        for _ in 0..<3 {
            #expect(limited.refusal(of: nil, rooms: 1, now: 0) == nil)
            #expect(unlimited.refusal(of: Self.ann, rooms: 1_000, now: 0) == nil)
        }
    }
}
