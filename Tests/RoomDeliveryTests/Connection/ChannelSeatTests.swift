import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct ChannelSeatTests {
    private static func channel(_ limit: Int?, _ usage: ChannelUsage = ChannelUsage()) -> RoomChannel {
        var limits = ChannelLimits.unset
        limits.connections = limit
        return RoomChannel(settings: .make(limits: limits), usage: usage)
    }

    @Test func `a connection is counted once, and counted out once`() {
        let channel = Self.channel(1)
        var seat = ChannelSeat()
        #expect(seat.take(in: channel) == nil)
        #expect(seat.take(in: channel) == nil)
        #expect(channel.usage.connections == 1)
        var other = ChannelSeat()
        #expect(other.take(in: channel)?.code == .tooManyConnections)
        seat.leave()
        seat.leave()
        #expect(channel.usage.connections == 0)
        #expect(other.take(in: channel) == nil)
    }

    @Test func `a resume is counted first, and refused when nobody makes way for it`() {
        let channel = Self.channel(1)
        var first = ChannelSeat()
        #expect(first.take(in: channel) == nil)
        var second = ChannelSeat()
        #expect(second.take(in: channel, isLimited: false) == nil)
        #expect(second.retake(in: channel)?.code == .tooManyConnections)
        first.leave()
        #expect(second.retake(in: channel) == nil)
        #expect(channel.usage.connections == 1)
    }

    @Test func `another channel takes the place of the first`() {
        let (one, two) = (Self.channel(nil), Self.channel(nil))
        var seat = ChannelSeat()
        #expect(seat.take(in: one) == nil)
        #expect(seat.take(in: two) == nil)
        #expect(one.usage.connections == 0)
        #expect(two.usage.connections == 1)
    }
}
