import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct ChannelSlotTests {
    private static func channel(_ limit: Int?, _ usage: ChannelUsage = ChannelUsage()) -> RoomChannel {
        var limits = ChannelLimits.unset
        limits.connections = limit
        return RoomChannel(settings: .make(limits: limits), usage: usage)
    }

    @Test func `a connection is counted once, and counted out once`() {
        let channel = Self.channel(1)
        var slot = ChannelSlot()
        #expect(slot.acquire(in: channel) == nil)
        #expect(slot.acquire(in: channel) == nil)
        #expect(channel.usage.connections == 1)
        var other = ChannelSlot()
        #expect(other.acquire(in: channel)?.code == .tooManyConnections)
        slot.release()
        slot.release()
        #expect(channel.usage.connections == 0)
        #expect(other.acquire(in: channel) == nil)
    }

    @Test func `a resume is counted first, and refused when nobody makes way for it`() {
        let channel = Self.channel(1)
        var first = ChannelSlot()
        #expect(first.acquire(in: channel) == nil)
        var second = ChannelSlot()
        #expect(second.acquire(in: channel, isLimited: false) == nil)
        #expect(second.reacquire(in: channel)?.code == .tooManyConnections)
        first.release()
        #expect(second.reacquire(in: channel) == nil)
        #expect(channel.usage.connections == 1)
    }

    @Test func `another channel takes the place of the first`() {
        let (one, two) = (Self.channel(nil), Self.channel(nil))
        var slot = ChannelSlot()
        #expect(slot.acquire(in: one) == nil)
        #expect(slot.acquire(in: two) == nil)
        #expect(one.usage.connections == 0)
        #expect(two.usage.connections == 1)
    }
}
