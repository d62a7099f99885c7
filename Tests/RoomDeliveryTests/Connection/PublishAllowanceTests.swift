import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct PublishAllowanceTests {
    private static let free = RoomChannel(settings: .make())
    private static let second: UInt64 = 1_000_000_000

    private static func limited(_ rate: Int) -> RoomChannel {
        var limits = ChannelLimits.unset
        limits.memberPublishRate = rate
        return RoomChannel(settings: .make(limits: limits))
    }

    @Test func `without a rate nothing is limited`() {
        let allowance = PublishAllowance(rate: .max, now: 0)
        #expect(!allowance.isLimited(in: Self.free))
    }

    @Test func `a connection publishes a second's worth at once`() {
        var allowance = PublishAllowance(rate: 2, now: 0)
        #expect(allowance.isLimited(in: Self.free))
        let refusals = (0..<3).map { _ in allowance.refusal(in: Self.free, now: 0) }
        #expect(refusals.map { $0?.code } == [nil, nil, .rateLimited])
        #expect(refusals.last??.retryAfterMilliseconds == 500)
        #expect(allowance.refusal(in: Self.free, now: Self.second) == nil)
    }

    @Test func `a resumed session goes on with what it had left, unless the rate is another`() {
        var before = PublishAllowance(rate: .max, now: 0)
        before.limitMember(in: Self.limited(1), from: nil, now: 0)
        #expect(before.refusal(in: Self.limited(1), now: 0) == nil)
        var same = PublishAllowance(rate: .max, now: 0)
        same.limitMember(in: Self.limited(1), from: before.member, now: 0)
        #expect(same.refusal(in: Self.limited(1), now: 0)?.code == .rateLimited)
        var other = PublishAllowance(rate: .max, now: 0)
        other.limitMember(in: Self.limited(2), from: before.member, now: 0)
        #expect(other.refusal(in: Self.limited(2), now: 0) == nil)
        other.limitMember(in: Self.free, from: other.member, now: 0)
        #expect(!other.isLimited(in: Self.free))
    }

    @Test func `thirty acts of moderation at once, then ten a second`() {
        var allowance = PublishAllowance(rate: .max, now: 0)
        let refused = (0..<31).map { _ in allowance.refusalOfAct(now: 0)?.code }
        #expect(refused == Array(repeating: nil, count: 30) + [.rateLimited])
        let later = (0..<11).map { _ in allowance.refusalOfAct(now: Self.second)?.code }
        #expect(later == Array(repeating: nil, count: 10) + [.rateLimited])
    }
}
