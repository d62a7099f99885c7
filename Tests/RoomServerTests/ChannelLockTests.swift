import RoomModel
import Testing

@testable import RoomHTTP
@testable import RoomServer

@Suite struct ChannelLockTests {
    private let id = ChannelID("demo") ?? .standard

    @Test func `each setting that a flag names is locked with that part of the flag`() {
        let channel = ChannelOverride(id: self.id, history: .count(5), historyAge: .seconds(60), durability: .power)
        #expect(channel.locks.map(\.name) == ["history", "history-age", "durability"])
        #expect(channel.locks.map(\.flag).first == "--channel demo,history=5")
        #expect(ChannelOverride(id: self.id).locks.isEmpty)
        #expect(ChannelOverride.implied.locks.isEmpty)
    }

    @Test func `a lock keeps its own setting and leaves the others alone`() {
        let lock = ChannelOverride(id: self.id, history: .count(5)).locks[0]
        var settings = ChannelSettings(id: self.id, history: HistorySettings(count: 5))
        #expect(lock.allows(settings))
        settings.history?.age = .seconds(9)
        settings.grace = .zero
        #expect(lock.allows(settings))
        settings.history?.count = 6
        #expect(!lock.allows(settings))
        settings.history = nil
        #expect(!lock.allows(settings))
    }
}
