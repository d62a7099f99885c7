import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

struct ChannelTableTests {
    @Test func `a channel is found by its id, the last of two settings counts`() {
        let settings: [ChannelSettings] = [.make("a", history: 1), .make("b"), .make("a", history: 2)]
        let table = ChannelTable(settings.map { RoomChannel(settings: $0) })
        #expect(table["a"]?.settings.history?.count == 2)
        #expect(table["b"]?.settings.id == .make("b"))
        #expect(table["c"] == nil)
    }

    @Test func `rooms with members are counted up to the limit`() {
        let channel = RoomChannel(settings: .make())
        let admitted = (0..<3).map { _ in channel.usage.roomBecameActive(limit: 2) }
        #expect(admitted == [true, true, false])
        channel.usage.roomBecameDormant()
        #expect(channel.usage.roomBecameActive(limit: 2))
    }
}
